package io.trainyard.spec;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// Suggests known names for a misspelt one.
public final class SimilarNames {
    /// The least number of letters for a match as a part of another name; shorter names match too often.
    private static final int MIN_PART = 3;

    private SimilarNames() {}

    /// The entries of `known` that differ from `name` in one letter or up to a third of its letters, contain it,
    /// are contained in it, or have it as initials, such as `lr`; ignores case. The most similar come first.
    public static List<String> of(String name, Collection<String> known) {
        String small = small(name);
        return known.stream()
                .filter(other -> isInitials(small, other) || isNear(small, small(other)))
                .sorted(Comparator.comparingInt(
                                (String other) -> isInitials(small, other) ? 0 : distance(small, small(other)))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /// The end of a message about an unknown name; empty if no known name is similar.
    public static String hint(String name, Collection<String> known) {
        return of(name, known).stream()
                .findFirst()
                .map("; the nearest is \"%s\""::formatted)
                .orElse("");
    }

    /// Whether these are the first letters of the words, two or more, of a name in camel case.
    private static boolean isInitials(String letters, String name) {
        return letters.length() > 1 && letters.equals(small(name.replaceAll("(?<!^)[^A-Z]", "")));
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

    /// The edits that make one name of the other; two neighbours that are swapped count once.
    static int distance(String a, String b) {
        int[] before = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        Arrays.setAll(last, j -> j);
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                row[j] = Math.min(last[j - 1] + (same ? 0 : 1), 1 + Math.min(last[j], row[j - 1]));
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
            before = last;
            last = row;
        }
        return last[b.length()];
    }
}
