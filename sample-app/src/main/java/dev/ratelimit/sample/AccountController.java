package dev.ratelimit.sample;

import java.security.Principal;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

/** The page behind the login. */
@RestController
class AccountController {

    /** Greets the user. */
    @GetMapping(path = "/account", produces = MediaType.TEXT_HTML_VALUE)
    String account(Principal principal) {
        return """
        <!doctype html>
        <html lang="en">
        <title>Account</title>
        <p>Logged in as %s. <a href="logout">Log out</a>
        </html>
        """
                .formatted(HtmlUtils.htmlEscape(principal.getName()));
    }
}
