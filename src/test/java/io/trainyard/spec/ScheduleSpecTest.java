package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Compares the learning rate of every step with PyTorch's schedulers, recorded by
/// src/test/python/schedules.py.
class ScheduleSpecTest {
    /// PyTorch derives most rates from the previous one, which adds a rounding error each time.
    private static final double RELATIVE = 1e-13;

    static Stream<String> schedules() throws IOException {
        try (var in = ScheduleSpecTest.class.getResourceAsStream("/golden/schedules.jsonl")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void givesPyTorchsRates(String line) throws IOException {
        JsonNode recorded = new ObjectMapper().readTree(line);
        double base = recorded.get("learningRate").asDouble();
        int epochs = recorded.get("epochs").asInt();
        int stepsPerEpoch = recorded.get("stepsPerEpoch").asInt();
        ScheduleSpec schedule = schedule(recorded.get("schedule"));
        JsonNode rates = recorded.get("rates");
        assertThat(rates).hasSize(epochs * stepsPerEpoch);
        for (int epoch = 0; epoch < epochs; epoch++) {
            double[] actual = schedule.learningRates(base, epoch, stepsPerEpoch, epochs);
            assertThat(actual).hasSize(stepsPerEpoch);
            for (int i = 0; i < stepsPerEpoch; i++) {
                double expected = rates.get(epoch * stepsPerEpoch + i).asDouble();
                assertThat(actual[i])
                        .as("epoch %d, step %d of it", epoch, i)
                        .isCloseTo(expected, Offset.offset(RELATIVE * expected));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void givesPyTorchsMomenta(String line) throws IOException {
        JsonNode recorded = new ObjectMapper().readTree(line);
        int epochs = recorded.get("epochs").asInt();
        int stepsPerEpoch = recorded.get("stepsPerEpoch").asInt();
        ScheduleSpec schedule = schedule(recorded.get("schedule"));
        JsonNode momenta = recorded.path("momenta");
        assertThat(schedule.cyclesMomentum()).isEqualTo(momenta.isArray());
        List<Double> actual = new ArrayList<>();
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (double momentum : schedule.momenta(epoch, stepsPerEpoch, epochs)) {
                actual.add(momentum);
            }
        }
        assertThat(actual).hasSize(momenta.size());
        for (int i = 0; i < actual.size(); i++) {
            assertThat(actual.get(i)).as("step %d", i).isCloseTo(momenta.get(i).asDouble(), Offset.offset(RELATIVE));
        }
    }

    @Test
    void cyclingTheMomentumRequiresAnOptimizerWithMomentum() {
        String message = "schedule.cycleMomentum is true, but optimizer.momentum is 0.0; ";
        for (String optimizer : List.of("{'type': 'sgd', 'learningRate': 1}", "{'type': 'rmsprop'}")) {
            assertThatThrownBy(() -> cycling(optimizer))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageStartingWith(message);
        }
        assertThat(cycling("{'type': 'rmsprop', 'momentum': 0.5}").optimizer().hasMomentum())
                .isTrue();
        assertThat(cycling("{'type': 'adamw'}").schedule().cyclesMomentum()).isTrue();
    }

    private static JobSpec cycling(String optimizer) {
        return JobJson.read("""
                {'id': 'a', 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1, 'optimizer': %s,
                 'schedule': {'type': 'oneCycle', 'maxLearningRate': 0.1, 'cycleMomentum': true}}""".formatted(optimizer).replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /// PyTorch divides by zero here.
    @Test
    void oneCycleMayBeAtItsTopInTheFirstStep() {
        var schedule = new OneCycleSchedule(0.5, 0.25, 25, 1e4, false, 0.85, 0.95);
        assertThat(schedule.learningRates(0.1, 0, 2, 2)[0]).isEqualTo(0.5);
        assertThat(schedule.learningRates(0.1, 1, 2, 2)[1]).isCloseTo(0.5 / 25 / 1e4, Offset.offset(1e-15));
    }

    private static ScheduleSpec schedule(JsonNode written) {
        ObjectNode job = new ObjectMapper().createObjectNode();
        job.put("id", "a").put("network", "lenet").put("dataset", "mnist").put("epochs", 1);
        job.putObject("optimizer").put("type", "sgd").put("learningRate", 0.1).put("momentum", 0.9);
        job.set("schedule", written);
        return JobJson.read(job).schedule();
    }
}
