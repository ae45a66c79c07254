package dev.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryStringTest {

    @ParameterizedTest
    @CsvSource({
        "tenant=a, a",
        "x=1&tenant=a&tenant=b, a",
        "%74enant=%61, a",
        "tenant=a+b%20c, a b c",
        "tenant=, ''",
        "x&tenant&y=2, ''",
        "tenant=a=b, a=b",
        "tenant=%zz, %zz",
        "&&tenant=a, a"
    })
    void the_first_value_of_a_parameter_is_decoded(String query, String value) {
        assertThat(QueryString.value(query, "tenant")).isEqualTo(value);
    }

    @Test
    void what_is_not_there_is_null() {
        assertThat(QueryString.value(null, "tenant")).isNull();
        assertThat(QueryString.value("", "tenant")).isNull();
        assertThat(QueryString.value("tenants=a&Tenant=b&x=tenant", "tenant")).isNull();
    }
}
