/** Expressions in rules, in the Spring Expression Language. */
@NullMarked
package dev.ratelimit.spring.expression;

import org.jspecify.annotations.NullMarked;
