/**
 * Rules, what they decide, and what they count. Knows no web, and no store but by its interface.
 */
@NullMarked
package dev.ratelimit.spring.rule;

import org.jspecify.annotations.NullMarked;
