package io.trainyard.device.check;

import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Compares values with the expected ones, and records the worst.
///
/// In float32 every value is compared. In lower precisions, an input of a ReLU or pooling window that is within
/// rounding of another one routes the whole gradient to one or the other. There, tensors are compared as a whole
/// by the root mean square of the differences, and the predicted class of borderline samples is not compared.
public final class Comparison {
    /// Further differences are only counted.
    private static final int MAX_KEPT = 8;

    private final Tolerance tolerance;
    private final boolean asWhole;
    private final boolean mayBeNonFinite;
    private final List<Difference> differences = new ArrayList<>();
    private long differing;
    private @Nullable Difference worst;

    public Comparison(Tolerance tolerance) {
        this(tolerance, false, false);
    }

    private Comparison(Tolerance tolerance, boolean asWhole, boolean mayBeNonFinite) {
        this.tolerance = tolerance;
        this.asWhole = asWhole;
        this.mayBeNonFinite = mayBeNonFinite;
    }

    /// Compares results in a precision with float32 results.
    static Comparison of(Precision precision) {
        return new Comparison(Tolerance.of(precision), precision != Precision.FP32, false);
    }

    /// Values may be NaN or infinite exactly where the expected ones are. In lower precisions than float32 the
    /// finite values need only be finite.
    static Comparison ofNonFinite(Precision precision) {
        Tolerance tolerance = precision == Precision.FP32 ? Tolerance.OF_FLOAT_SUMS : Tolerance.ANY_FINITE;
        return new Comparison(tolerance, false, true);
    }

    public void value(String what, double expected, double actual) {
        take(new Difference(what, expected, actual, allowed(expected)));
    }

    public void values(String what, float[] expected, float[] actual) {
        values(what, doubles(expected), doubles(actual));
    }

    public void values(String what, double[] expected, double[] actual) {
        requireSize(what, expected.length, actual.length);
        if (asWhole) {
            whole(what, expected, actual);
            return;
        }
        for (int i = 0; i < expected.length; i++) {
            take(what, i, expected[i], actual[i]);
        }
    }

    private void whole(String what, double[] expected, double[] actual) {
        double squares = 0;
        double distances = 0;
        for (int i = 0; i < expected.length; i++) {
            squares += expected[i] * expected[i];
            distances += (actual[i] - expected[i]) * (actual[i] - expected[i]);
        }
        int size = Math.max(1, expected.length);
        double allowed = tolerance.allowed(Math.sqrt(squares / size));
        take(new Difference("distance of " + what, 0, Math.sqrt(distances / size), allowed));
    }

    private static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /// Samples by (true class, predicted class); the counts must be equal.
    public void confusion(String what, int[][] expected, int[][] actual) {
        if (asWhole) {
            return;
        }
        requireSize(what, expected.length, actual.length);
        for (int i = 0; i < expected.length; i++) {
            requireSize(what, expected[i].length, actual[i].length);
            for (int j = 0; j < expected[i].length; j++) {
                exactly("%s[%d][%d]".formatted(what, i, j), expected[i][j], actual[i][j]);
            }
        }
    }

    /// @param what prefix of the tensors' names
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
            exactly("%s[%d]".formatted(what, i), expected[i], actual[i]);
        }
    }

    private static void requireSize(String what, int expected, int actual) {
        if (expected != actual) {
            throw new IllegalArgumentException("%s has %d values; expected are %d".formatted(what, actual, expected));
        }
    }

    private void exactly(String what, long expected, long actual) {
        take(new Difference(what, expected, actual, Tolerance.NONE.allowed(expected)));
    }

    /// Formats only the differences that are kept, because there are many values.
    private void take(String what, int index, double expected, double actual) {
        double allowed = allowed(expected);
        boolean fine = Math.abs(actual - expected) <= allowed;
        if (!fine || worst == null || Math.abs(actual - expected) > worst.share() * allowed) {
            take(new Difference("%s[%d]".formatted(what, index), expected, actual, allowed));
        }
    }

    /// A non-finite value must be the same, if it is allowed at all; there is no tolerance.
    private double allowed(double expected) {
        if (Double.isFinite(expected)) {
            return tolerance.allowed(expected);
        }
        return mayBeNonFinite ? 0 : Double.NaN;
    }

    private void take(Difference difference) {
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

    /// Number of values outside their tolerance.
    public long differing() {
        return differing;
    }

    public List<Difference> differences() {
        return List.copyOf(differences);
    }

    /// The value with the largest error relative to its tolerance.
    public Optional<Difference> worst() {
        return Optional.ofNullable(worst);
    }
}
