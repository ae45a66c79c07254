/**
 * Requests of Spring MVC: the interceptor, the header fields and the answer to a refused request.
 */
@NullMarked
package dev.ratelimit.spring.web;

import org.jspecify.annotations.NullMarked;
