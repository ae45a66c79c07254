package dev.ratelimit.sample;

import java.math.BigDecimal;

/**
 * A currency.
 *
 * @param code its ISO 4217 code
 * @param name its name in English
 * @param perEuro how many units one euro buys
 */
record Currency(String code, String name, BigDecimal perEuro) {}
