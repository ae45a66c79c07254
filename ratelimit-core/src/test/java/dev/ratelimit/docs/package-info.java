/** Holds the documentation to what the code does. */
package dev.ratelimit.docs;
