package dev.ratelimit.sample;

import dev.ratelimit.sample.CurrencyConverter.Conversion;
import dev.ratelimit.spring.RateLimited;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The API. What limits {@code search} and {@code reports} stands in {@code application.yml}. */
@RestController
@RequestMapping("/api")
class CurrencyController {

    private final CurrencyCatalogue catalogue;
    private final CurrencyConverter converter;

    CurrencyController(CurrencyCatalogue catalogue, CurrencyConverter converter) {
        this.catalogue = catalogue;
        this.converter = converter;
    }

    /** Finds currencies by a part of their code or name. */
    @GetMapping("/search")
    List<Currency> search(@RequestParam("q") String text) {
        return catalogue.search(text);
    }

    /** Quotes one rate. */
    @GetMapping("/quote")
    @RateLimited(name = "quote", requests = 3, window = 1, unit = TimeUnit.MINUTES)
    Quote quote(
            @RequestParam(defaultValue = "EUR") String from,
            @RequestParam(defaultValue = "USD") String to) {
        Currency source = catalogue.get(from);
        Currency target = catalogue.get(to);
        BigDecimal rate = target.perEuro().divide(source.perEuro(), MathContext.DECIMAL32);
        return new Quote(source.code(), target.code(), rate);
    }

    /** Reports all rates against the euro. */
    @GetMapping("/reports")
    List<Currency> reports() {
        return catalogue.all();
    }

    /** Converts an amount; the service behind it has a limit of its own. */
    @GetMapping("/convert")
    Conversion convert(
            @RequestParam(defaultValue = "1") long amount,
            @RequestParam(defaultValue = "EUR") String from,
            @RequestParam(defaultValue = "USD") String to) {
        return converter.convert(amount, from, to);
    }

    /**
     * A rate.
     *
     * @param from the currency that is sold
     * @param to the currency that is bought
     * @param rate how many units of {@code to} one unit of {@code from} buys
     */
    record Quote(String from, String to, BigDecimal rate) {}
}
