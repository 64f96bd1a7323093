package io.trainyard.device.check;

import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Holds values to the expected ones, and remembers the worst of them.
public final class Comparison {
    /// More differences are counted, not kept.
    private static final int MAX_KEPT = 8;

    private final Tolerance tolerance;
    private final List<Difference> differences = new ArrayList<>();
    private long differing;
    private @Nullable Difference worst;

    public Comparison(Tolerance tolerance) {
        this.tolerance = tolerance;
    }

    public void value(String what, double expected, double actual) {
        take(what, expected, actual, tolerance);
    }

    public void values(String what, float[] expected, float[] actual) {
        requireSize(what, expected.length, actual.length);
        for (int i = 0; i < expected.length; i++) {
            take(what, i, expected[i], actual[i]);
        }
    }

    public void values(String what, double[] expected, double[] actual) {
        requireSize(what, expected.length, actual.length);
        for (int i = 0; i < expected.length; i++) {
            take(what, i, expected[i], actual[i]);
        }
    }

    /// Whole numbers, which must be equal: such as (true class, predicted class).
    public void counts(String what, int[][] expected, int[][] actual) {
        requireSize(what, expected.length, actual.length);
        for (int i = 0; i < expected.length; i++) {
            requireSize(what, expected[i].length, actual[i].length);
            for (int j = 0; j < expected[i].length; j++) {
                take("%s[%d][%d]".formatted(what, i, j), expected[i][j], actual[i][j], Tolerance.NONE);
            }
        }
    }

    /// @param what stands before the tensors' names
    /// @throws IllegalArgumentException unless names and shapes are the same
    public void tensors(String what, Map<String, Tensor> expected, Map<String, Tensor> actual) {
        if (!actual.keySet().equals(expected.keySet())) {
            throw new IllegalArgumentException(
                    "%s has the tensors %s; expected are %s".formatted(what, actual.keySet(), expected.keySet()));
        }
        Parameters found = new Parameters(actual);
        expected.forEach((name, tensor) -> {
            switch (tensor) {
                case Tensor.Floats floats ->
                    values(what + " " + name, floats.values(), found.floats(name, floats.shape()));
                case Tensor.Longs longs ->
                    counters(what + " " + name, longs.values(), found.longs(name, longs.shape()));
            }
        });
    }

    private void counters(String what, long[] expected, long[] actual) {
        for (int i = 0; i < expected.length; i++) {
            take("%s[%d]".formatted(what, i), expected[i], actual[i], Tolerance.NONE);
        }
    }

    private static void requireSize(String what, int expected, int actual) {
        if (expected != actual) {
            throw new IllegalArgumentException("%s has %d values; expected are %d".formatted(what, actual, expected));
        }
    }

    /// Text is made for what is kept only: there are many values.
    private void take(String what, int index, double expected, double actual) {
        double allowed = tolerance.allowed(expected);
        boolean fine = Math.abs(actual - expected) <= allowed;
        if (!fine || worst == null || Math.abs(actual - expected) > worst.share() * allowed) {
            take("%s[%d]".formatted(what, index), expected, actual, tolerance);
        }
    }

    private void take(String what, double expected, double actual, Tolerance within) {
        Difference difference = new Difference(what, expected, actual, within.allowed(expected));
        if (worst == null || difference.share() > worst.share()) {
            worst = difference;
        }
        if (difference.exceeds()) {
            differing++;
            if (differences.size() < MAX_KEPT) {
                differences.add(difference);
            }
        }
    }

    public boolean passed() {
        return differing == 0;
    }

    /// How many values are too far from the expected ones.
    public long differing() {
        return differing;
    }

    /// The first of these.
    public List<Difference> differences() {
        return List.copyOf(differences);
    }

    /// The value that is nearest to its tolerance or farthest beyond it.
    public Optional<Difference> worst() {
        return Optional.ofNullable(worst);
    }
}
