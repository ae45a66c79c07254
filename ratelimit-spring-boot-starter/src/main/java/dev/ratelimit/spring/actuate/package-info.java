/** The endpoint ratelimits of Spring Boot Actuator. */
@NullMarked
package dev.ratelimit.spring.actuate;

import org.jspecify.annotations.NullMarked;
