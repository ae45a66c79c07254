/**
 * Rate limits for Spring Boot applications: {@link dev.ratelimit.spring.RateLimited} on a method,
 * or rules in {@code application.yml}. The types in this package are what an application uses;
 * those below it are not for applications, and may change.
 */
@NullMarked
package dev.ratelimit.spring;

import org.jspecify.annotations.NullMarked;
