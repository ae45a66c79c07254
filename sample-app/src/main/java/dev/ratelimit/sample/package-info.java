/** A small API for exchange rates that limits its clients with the starter. */
@NullMarked
package dev.ratelimit.sample;

import org.jspecify.annotations.NullMarked;
