package io.trainyard.spec;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// Suggests known names for a misspelt one.
public final class SimilarNames {
    /// The least number of letters for a match as a part of another name; shorter names match too often.
    private static final int MIN_PART = 3;

    private SimilarNames() {}

    /// The entries of `known` that differ from `name` in one letter or up to a third of its letters, or that
    /// contain it or are contained in it; ignores case. The most similar come first.
    public static List<String> of(String name, Collection<String> known) {
        String small = small(name);
        return known.stream()
                .filter(other -> isNear(small, small(other)))
                .sorted(Comparator.comparingInt((String other) -> distance(small, small(other)))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static String small(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static boolean isNear(String name, String known) {
        int allowed = Math.max(1, name.length() / 3);
        boolean alike = Math.abs(name.length() - known.length()) <= allowed && distance(name, known) <= allowed;
        boolean part =
                Math.min(name.length(), known.length()) >= MIN_PART && (known.contains(name) || name.startsWith(known));
        return alike || part;
    }

    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
