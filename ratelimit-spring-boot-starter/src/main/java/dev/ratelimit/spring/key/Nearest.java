package dev.ratelimit.spring.key;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Guesses which of some known words was meant. */
public final class Nearest {

    private Nearest() {}

    /** The known word with the fewest letters to change; null if that is more than a third. */
    public static @Nullable String of(String word, Collection<String> known) {
        String nearest = null;
        int fewest = Math.max(1, word.length() / 3) + 1;
        for (String candidate : known) {
            int edits = edits(word, candidate);
            if (edits < fewest) {
                fewest = edits;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** A question that ends a message: {@code " Did you mean 'ip'?"}, or nothing. */
    public static String question(String word, Collection<String> known) {
        String nearest = of(word, known);
        return nearest == null ? "" : " Did you mean '" + nearest + "'?";
    }

    /** Levenshtein's distance, one row of the table at a time; case does not count. */
    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                char left = Character.toLowerCase(a.charAt(i - 1));
                char right = Character.toLowerCase(b.charAt(j - 1));
                int replaced = diagonal + (left == right ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
