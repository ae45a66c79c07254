package dev.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each test that {@code docs/guarantees.md} names as a proof is there. */
class GuaranteesDocTest {

    private static final Pattern PROOF = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?`");

    private static final String DOC = Repository.read("docs/guarantees.md");

    static Stream<String> proofs() {
        return PROOF.matcher(DOC).results().map(MatchResult::group).distinct();
    }

    @ParameterizedTest
    @MethodSource("proofs")
    void itsProofsExist(String proof) {
        String[] names = proof.replace("`", "").split("\\.", -1);
        List<String> sources = Repository.coreTests(names[0]);
        assertThat(sources).as(names[0]).hasSize(1);
        if (names.length == 2) {
            assertThat(sources.get(0)).contains("void " + names[1] + "(");
        }
    }

    @Test
    void everyTestItMentionsIsFound() {
        long mentioned = Pattern.compile("\\w+Test\\b").matcher(DOC).results().count();
        assertThat(PROOF.matcher(DOC).results().count()).isEqualTo(mentioned);
    }
}
