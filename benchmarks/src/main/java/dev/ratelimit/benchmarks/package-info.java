/**
 * What a decision costs, in time and in memory, beside the other libraries of the JVM. Every
 * library is asked about the same keys in the same order. The numbers are in docs/benchmarks.md.
 */
package dev.ratelimit.benchmarks;
