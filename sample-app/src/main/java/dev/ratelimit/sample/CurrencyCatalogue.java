package dev.ratelimit.sample;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.springframework.stereotype.Repository;

/** The currencies that are known, with rates that never change. */
@Repository
class CurrencyCatalogue {

    private static final List<Currency> CURRENCIES =
            List.of(
                    currency("AUD", "Australian dollar", "1.65"),
                    currency("CAD", "Canadian dollar", "1.50"),
                    currency("CHF", "Swiss franc", "0.95"),
                    currency("EUR", "Euro", "1"),
                    currency("GBP", "Pound sterling", "0.85"),
                    currency("JPY", "Japanese yen", "160"),
                    currency("NOK", "Norwegian krone", "11.60"),
                    currency("SEK", "Swedish krona", "11.25"),
                    currency("USD", "US dollar", "1.10"));

    private static Currency currency(String code, String name, String perEuro) {
        return new Currency(code, name, new BigDecimal(perEuro));
    }

    List<Currency> all() {
        return CURRENCIES;
    }

    /** The currencies whose code or name contains a text, in any case. */
    List<Currency> search(String text) {
        String wanted = text.toLowerCase(Locale.ROOT);
        return CURRENCIES.stream()
                .filter(
                        currency ->
                                (currency.code() + ' ' + currency.name())
                                        .toLowerCase(Locale.ROOT)
                                        .contains(wanted))
                .toList();
    }

    Currency get(String code) {
        return CURRENCIES.stream()
                .filter(currency -> currency.code().equalsIgnoreCase(code))
                .findFirst()
                .orElseThrow(() -> new UnknownCurrencyException(code));
    }
}
