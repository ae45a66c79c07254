package dev.ratelimit.sample;

import dev.ratelimit.spring.RateLimited;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

/** Converts amounts. The limit is on the service, so it holds for whatever calls it. */
@Service
public class CurrencyConverter {

    private final CurrencyCatalogue catalogue;

    CurrencyConverter(CurrencyCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** Converts so many whole units of a currency, to two decimals of another. */
    @RateLimited(name = "convert", requests = 5, window = 1, unit = TimeUnit.MINUTES)
    public Conversion convert(long amount, String from, String to) {
        Currency source = catalogue.get(from);
        Currency target = catalogue.get(to);
        BigDecimal result =
                BigDecimal.valueOf(amount)
                        .multiply(target.perEuro())
                        .divide(source.perEuro(), 2, RoundingMode.HALF_EVEN);
        return new Conversion(amount, source.code(), result, target.code());
    }

    /**
     * An amount in two currencies.
     *
     * @param amount how many units were given
     * @param from of which currency
     * @param result the same amount in the other currency
     * @param to the other currency
     */
    public record Conversion(long amount, String from, BigDecimal result, String to) {}
}
