package io.trainyard.device.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.device.TensorFile;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.OptimizerSpec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The update rules match PyTorch bit for bit, recorded by src/test/python/optimizers.py.
class ParameterUpdateTest {
    private static final TensorFile RECORDED = TensorFile.read("/golden/optimizers.safetensors");
    private static final float[] INITIAL = RECORDED.floats("initial");
    private static final float[] GRADIENTS = RECORDED.floats("gradients");
    private static final double[] FACTORS = RECORDED.doubles("factors");

    record Case(String name, OptimizerSpec optimizer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() throws IOException {
        List<Case> cases = new ArrayList<>();
        try (var in = ParameterUpdateTest.class.getResourceAsStream("/golden/optimizers.json")) {
            for (JsonNode written : new ObjectMapper().readTree(in)) {
                ObjectNode job = new ObjectMapper().createObjectNode();
                job.put("id", "a")
                        .put("network", "lenet")
                        .put("dataset", "mnist")
                        .put("epochs", 1);
                job.set("optimizer", written.get("optimizer"));
                cases.add(
                        new Case(written.get("name").asText(), JobJson.read(job).optimizer()));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesPyTorchsBitsInArrays(Case recorded) {
        checkArrays(recorded, INITIAL.length);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesPyTorchsBitsInNativeMemory(Case recorded) {
        checkNative(recorded, INITIAL.length);
    }

    /// Ranges shorter than a vector, and longer ones at unaligned starts.
    @ParameterizedTest
    @MethodSource("cases")
    void givesTheSameBitsInPieces(Case recorded) {
        checkArrays(recorded, 1);
        checkArrays(recorded, 67);
        checkNative(recorded, 1);
        checkNative(recorded, 67);
    }

    private static void checkArrays(Case recorded, int piece) {
        float[] values = INITIAL.clone();
        List<float[]> state = recorded.optimizer().slots().stream()
                .map(slot -> new float[INITIAL.length])
                .toList();
        for (int step = 0; step < FACTORS.length; step++) {
            ParameterUpdate update = update(recorded, step);
            for (int from = 0; from < INITIAL.length; from += piece) {
                update.apply(values, gradient(step), state, from, Math.min(from + piece, INITIAL.length));
            }
        }
        check(recorded, values, state);
    }

    private static void checkNative(Case recorded, int piece) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocateFrom(ValueLayout.JAVA_FLOAT, INITIAL);
            List<MemorySegment> state = recorded.optimizer().slots().stream()
                    .map(slot -> arena.allocate(ValueLayout.JAVA_FLOAT, INITIAL.length))
                    .toList();
            for (int step = 0; step < FACTORS.length; step++) {
                ParameterUpdate update = update(recorded, step);
                MemorySegment gradient = arena.allocateFrom(ValueLayout.JAVA_FLOAT, gradient(step));
                for (int from = 0; from < INITIAL.length; from += piece) {
                    long offset = (long) from * Float.BYTES;
                    long bytes = (long) Math.min(piece, INITIAL.length - from) * Float.BYTES;
                    update.apply(
                            values.asSlice(offset, bytes),
                            gradient.asSlice(offset, bytes),
                            state.stream()
                                    .map(slot -> slot.asSlice(offset, bytes))
                                    .toList());
                }
            }
            check(
                    recorded,
                    values.toArray(ValueLayout.JAVA_FLOAT),
                    state.stream()
                            .map(slot -> slot.toArray(ValueLayout.JAVA_FLOAT))
                            .toList());
        }
    }

    private static ParameterUpdate update(Case recorded, int step) {
        double learningRate = recorded.optimizer().learningRate() * FACTORS[step];
        return ParameterUpdate.of(recorded.optimizer(), learningRate, step + 1);
    }

    private static float[] gradient(int step) {
        return Arrays.copyOfRange(GRADIENTS, step * INITIAL.length, (step + 1) * INITIAL.length);
    }

    private static void check(Case recorded, float[] values, List<float[]> state) {
        List<String> slots = recorded.optimizer().slots();
        assertBits(recorded.name() + ".values", values);
        for (int i = 0; i < slots.size(); i++) {
            assertBits(recorded.name() + "." + slots.get(i), state.get(i));
        }
    }

    private static void assertBits(String name, float[] actual) {
        assertThat(bits(actual)).as(name).isEqualTo(bits(RECORDED.floats(name)));
    }

    private static int[] bits(float[] values) {
        return IntStream.range(0, values.length)
                .map(i -> Float.floatToRawIntBits(values[i]))
                .toArray();
    }
}
