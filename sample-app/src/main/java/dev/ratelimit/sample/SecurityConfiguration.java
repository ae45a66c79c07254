package dev.ratelimit.sample;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.SecurityFilterChain;

/** The API and Actuator are open to all; everything else is for those who log in. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

    private static final String[] OPEN = {"/api/**", "/actuator/**", "/error"};

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(
                        requests ->
                                requests.requestMatchers(OPEN)
                                        .permitAll()
                                        .anyRequest()
                                        .authenticated())
                .csrf(csrf -> csrf.ignoringRequestMatchers("/api/**", "/actuator/**"))
                .formLogin(
                        form ->
                                form.defaultSuccessUrl("/account")
                                        .failureHandler(SecurityConfiguration::refuse))
                .build();
    }

    /**
     * A failed login is answered with status 401, by which the rule {@code login} knows it. Without
     * this, form login redirects either way.
     */
    private static void refuse(
            HttpServletRequest request,
            HttpServletResponse response,
            AuthenticationException exception)
            throws IOException {
        response.setStatus(HttpStatus.UNAUTHORIZED.value());
        response.setContentType(MediaType.TEXT_HTML_VALUE);
        response.getWriter()
                .write(
                        """
                        <!doctype html>
                        <html lang="en">
                        <title>Log in</title>
                        <p>Wrong user name or password. <a href="login">Try again</a>
                        </html>
                        """);
    }
}
