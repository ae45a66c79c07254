/**
 * Keeps buckets in Redis, where all instances of an application find them. One script decides on
 * all limits of a rule and key; everything here leads to it, or deals with its absence.
 */
@NullMarked
package dev.ratelimit.spring.redis;

import org.jspecify.annotations.NullMarked;
