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
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The update rules, bit by bit as PyTorch's were recorded by src/test/python/optimizers.py.
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
    void givesPyTorchsBitsOnTheHeap(Case recorded) {
        check(recorded, floats -> MemorySegment.ofArray(new float[floats]), INITIAL.length);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesPyTorchsBitsInNativeMemory(Case recorded) {
        try (Arena arena = Arena.ofConfined()) {
            check(recorded, floats -> arena.allocate(ValueLayout.JAVA_FLOAT, floats), INITIAL.length);
        }
    }

    /// Pieces shorter than a vector go one by one, longer ones begin where no vector did.
    @ParameterizedTest
    @MethodSource("cases")
    void givesTheSameBitsInPieces(Case recorded) {
        check(recorded, floats -> MemorySegment.ofArray(new float[floats]), 1);
        check(recorded, floats -> MemorySegment.ofArray(new float[floats]), 67);
    }

    private static void check(Case recorded, IntFunction<MemorySegment> allocator, int piece) {
        List<String> slots = recorded.optimizer().slots();
        MemorySegment values = allocator.apply(INITIAL.length).copyFrom(MemorySegment.ofArray(INITIAL));
        MemorySegment gradient = allocator.apply(INITIAL.length);
        List<MemorySegment> state =
                slots.stream().map(slot -> allocator.apply(INITIAL.length)).toList();
        for (int step = 0; step < FACTORS.length; step++) {
            MemorySegment.copy(GRADIENTS, step * INITIAL.length, gradient, ValueLayout.JAVA_FLOAT, 0, INITIAL.length);
            double learningRate = recorded.optimizer().learningRate() * FACTORS[step];
            ParameterUpdate update = ParameterUpdate.of(recorded.optimizer(), learningRate, step + 1);
            for (int from = 0; from < INITIAL.length; from += piece) {
                int floats = Math.min(piece, INITIAL.length - from);
                long offset = 4L * from;
                update.apply(
                        values.asSlice(offset, 4L * floats),
                        gradient.asSlice(offset, 4L * floats),
                        state.stream()
                                .map(slot -> slot.asSlice(offset, 4L * floats))
                                .toList());
            }
        }
        assertBits(recorded.name() + ".values", values);
        for (int i = 0; i < slots.size(); i++) {
            assertBits(recorded.name() + "." + slots.get(i), state.get(i));
        }
    }

    private static void assertBits(String name, MemorySegment actual) {
        assertThat(bits(actual.toArray(ValueLayout.JAVA_FLOAT))).as(name).isEqualTo(bits(RECORDED.floats(name)));
    }

    private static int[] bits(float[] values) {
        return IntStream.range(0, values.length)
                .map(i -> Float.floatToRawIntBits(values[i]))
                .toArray();
    }
}
