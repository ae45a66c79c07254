/** Calls of annotated methods: finding the annotations, and the advice around beans. */
@NullMarked
package dev.ratelimit.spring.method;

import org.jspecify.annotations.NullMarked;
