/** Who is counted: the parts of a rule's key, and the values they have in a request. */
@NullMarked
package dev.ratelimit.spring.key;

import org.jspecify.annotations.NullMarked;
