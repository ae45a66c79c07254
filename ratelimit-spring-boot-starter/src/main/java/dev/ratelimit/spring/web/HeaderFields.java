package dev.ratelimit.spring.web;

import dev.ratelimit.spring.rule.Verdict;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;

/** A style in which header fields show limits. */
public interface HeaderFields {

    /** What the fields are called. */
    List<String> names();

    /** Sets the fields, in place of what they were. */
    void set(HttpServletResponse response, Verdict verdict);
}
