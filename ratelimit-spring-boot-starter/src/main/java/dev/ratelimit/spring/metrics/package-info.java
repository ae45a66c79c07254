/** The meters of rules in Micrometer. */
@NullMarked
package dev.ratelimit.spring.metrics;

import org.jspecify.annotations.NullMarked;
