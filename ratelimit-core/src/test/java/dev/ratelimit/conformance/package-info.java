/**
 * What every store must answer under every strategy, held against reference models that are plain
 * rather than fast. A store's own module extends {@link
 * dev.ratelimit.conformance.StoreConformanceTest} and {@link
 * dev.ratelimit.conformance.StoreCasesTest}.
 */
package dev.ratelimit.conformance;
