package dev.ratelimit.spring.web;

import org.springframework.test.context.TestPropertySource;

@TestPropertySource(
        properties = {
            "ratelimit.rules.everything.phase=filter",
            "ratelimit.rules.search.phase=filter",
            "ratelimit.rules.month.phase=filter",
            "ratelimit.rules.month-2.phase=filter"
        })
class EverythingInFilterWebTest extends EverythingWebTest {}
