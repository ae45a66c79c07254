/** What Spring Boot finds: the beans, the properties, and the analysis of a failed start. */
@NullMarked
package dev.ratelimit.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
