package io.trainyard.spec;

/// Makes untrusted text safe to display.
public final class Printable {
    private Printable() {}

    /// Without control characters, at most `width` characters.
    public static String text(String text, int width) {
        String clean = text.codePoints()
                .limit(width + 1L)
                .map(c -> Character.getType(c) == Character.CONTROL
                                || Character.getType(c) == Character.FORMAT
                                || Character.getType(c) == Character.SURROGATE
                        ? '?'
                        : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return clean.codePointCount(0, clean.length()) <= width
                ? clean
                : clean.substring(0, clean.offsetByCodePoints(0, width - 1)) + "…";
    }
}
