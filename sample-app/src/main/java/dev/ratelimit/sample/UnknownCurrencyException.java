package dev.ratelimit.sample;

import java.io.Serial;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** A client asked for a currency that the catalogue does not have. */
@ResponseStatus(HttpStatus.NOT_FOUND)
class UnknownCurrencyException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    UnknownCurrencyException(String code) {
        super("No such currency: " + code);
    }
}
