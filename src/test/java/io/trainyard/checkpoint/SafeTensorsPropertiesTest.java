package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.spec.Shape;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;

class SafeTensorsPropertiesTest {
    /// Any names, any bits: signed zeros, infinities and every NaN.
    @SeededProperty
    void readsItsOwnOutput(@ForAll("files") SafeTensors file) throws IOException {
        SafeTensors read = SafeTensors.read(new ByteArrayInputStream(bytes(file)));
        assertThat(read.metadata()).isEqualTo(file.metadata());
        assertThat(List.copyOf(read.tensors().tensors().keySet()))
                .isEqualTo(List.copyOf(file.tensors().tensors().keySet()));
        file.tensors().tensors().forEach((name, tensor) -> {
            switch (tensor) {
                case Tensor.Floats floats ->
                    assertThat(bits(read.tensors().floats(name, floats.shape())))
                            .as(name)
                            .isEqualTo(bits(floats.values()));
                case Tensor.Longs longs ->
                    assertThat(read.tensors().longs(name, longs.shape()))
                            .as(name)
                            .isEqualTo(longs.values());
            }
        });
        assertThat(bytes(read)).isEqualTo(bytes(file));
    }

    /// One changed byte gives another file or a [CheckpointException], and no other error.
    @SeededProperty
    void aChangedByteIsReadOrRefused(@ForAll("files") SafeTensors file, @ForAll long where, @ForAll byte value)
            throws IOException {
        byte[] bytes = bytes(file);
        int at = (int) Math.floorMod(where, (long) bytes.length);
        boolean same = bytes[at] == value;
        bytes[at] = value;
        try {
            boolean sameFile = Arrays.equals(bytes(SafeTensors.read(new ByteArrayInputStream(bytes))), bytes(file));
            assertThat(sameFile).as("whether the byte at %d says nothing", at).isIn(same, isBlank(value));
        } catch (CheckpointException refused) {
            assertThat(same).as("refused as it was: %s", refused.getMessage()).isFalse();
        }
    }

    /// JSON whitespace in and after the header has no meaning.
    private static boolean isBlank(byte value) {
        return value == ' ' || value == '\t' || value == '\n' || value == '\r';
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    private static byte[] bytes(SafeTensors file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        file.write(out);
        return out.toByteArray();
    }

    @Provide
    Arbitrary<SafeTensors> files() {
        Arbitrary<String> names = Arbitraries.strings()
                .withCharRange('a', 'z')
                .withChars('.', '_', '0', '"', '\\', 'ä', '\n')
                .ofMinLength(1)
                .ofMaxLength(12);
        Arbitrary<Shape> shapes =
                Arbitraries.integers().between(1, 4).list().ofMaxSize(3).map(Shape::new);
        Arbitrary<Tensor> tensors = Combinators.combine(shapes, Arbitraries.longs(), Arbitraries.of(true, false))
                .as(SafeTensorsPropertiesTest::tensor);
        Arbitrary<Map<String, String>> metadata =
                Arbitraries.maps(names, Arbitraries.strings().ofMaxLength(9)).ofMaxSize(3);
        return Combinators.combine(metadata, Arbitraries.maps(names, tensors).ofMaxSize(5))
                .as((words, values) -> new SafeTensors(words, new Parameters(values)));
    }

    private static Tensor tensor(Shape shape, long seed, boolean counts) {
        Random random = new Random(seed);
        if (counts) {
            return new Tensor.Longs(shape, random.longs(shape.elements()).toArray());
        }
        float[] values = new float[shape.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.intBitsToFloat(random.nextInt());
        }
        return new Tensor.Floats(shape, values);
    }
}
