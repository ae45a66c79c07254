/**
 * What must hold when many threads decide at once. Runs that are long enough to be sure are asked
 * for with {@code -Dratelimit.stress=long}; otherwise they are long enough to notice a fault.
 */
package dev.ratelimit.concurrency;
