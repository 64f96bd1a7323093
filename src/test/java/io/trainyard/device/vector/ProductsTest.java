package io.trainyard.device.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import jdk.incubator.vector.FloatVector;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Both products beside three nested loops, for numbers of rows that fill tiles and that do not.
class ProductsTest {
    private static final Offset<Float> ROUNDING = Offset.offset(1e-4f);
    private final Random random = new Random(1);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 16, 25})
    void rowsTimesColumns(int rows) {
        for (boolean add : new boolean[] {false, true}) {
            int depth = 7;
            int columns = 3 * Vectors.TILE;
            float[] a = values(rows * depth);
            float[] b = values(depth * columns + Vectors.SLACK);
            float[] c = values(rows * columns);
            float[] start = values(rows);
            float[] expected = c.clone();
            for (int r = 0; r < rows; r++) {
                for (int j = 0; j < columns; j++) {
                    double sum = add ? c[r * columns + j] : start[r];
                    for (int k = 0; k < depth; k++) {
                        sum += a[r * depth + k] * b[3 * k + j];
                    }
                    expected[r * columns + j] = (float) sum;
                }
            }
            // rows of b that overlap: each begins three after the one before
            RowProduct product =
                    new RowProduct(depth, RowProduct.steps(depth, 1), RowProduct.steps(depth, 3), columns, columns);
            if (add) {
                product.add(rows, depth, a, 0, b, 0, c, 0);
            } else {
                product.set(rows, depth, start, 0, a, 0, b, 0, c, 0);
            }
            assertThat(c).containsExactly(expected, ROUNDING);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 16, 25})
    void rowsTimesRows(int rows) {
        for (int columns : new int[] {1, 3, 4, 6, 9}) {
            int length = 65 * Vectors.TILE; // more than a block
            int pieces = 2;
            float[] a = values(pieces * rows * length + Vectors.SLACK);
            float[] b = values(pieces * columns * length + Vectors.SLACK);
            float[] c = values(rows * columns);
            float[] expected = c.clone();
            for (int r = 0; r < rows; r++) {
                for (int t = 0; t < columns; t++) {
                    double sum = c[t * rows + r];
                    for (int s = 0; s < pieces; s++) {
                        for (int p = 0; p < length; p++) {
                            sum += a[(s * rows + r) * length + p] * b[(s * columns + t) * length + p];
                        }
                    }
                    expected[t * rows + r] = (float) sum;
                }
            }
            DotProduct product =
                    new DotProduct(RowProduct.steps(rows, length), RowProduct.steps(columns, length), length, 1, rows);
            product.addTo(c, 0, a, 0, b, 0, columns, new DotProduct.Pieces(pieces, rows * length, columns * length));
            assertThat(c).containsExactly(expected, Offset.offset(1e-3f));
        }
    }

    @Test
    void lanesAreSummedInOneOrder() {
        float[] values = new float[Vectors.LENGTH];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) Math.pow(7, i % 9);
        }
        float once = Vectors.sum(FloatVector.fromArray(Vectors.SPECIES, values, 0));
        for (int i = 0; i < 20_000; i++) { // interpreted, then compiled
            assertThat(Vectors.sum(FloatVector.fromArray(Vectors.SPECIES, values, 0)))
                    .isEqualTo(once);
        }
    }

    private float[] values(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = 2 * random.nextFloat() - 1;
        }
        return values;
    }
}
