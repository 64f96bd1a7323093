package io.trainyard.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.OptimizerSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrialsTest {
    static JobSpec job(String more) {
        return JobJson.read("""
                {"id": "rates", "network": "fashion", "dataset": "shapes28", "epochs": 3, %s}""".formatted(more).getBytes(StandardCharsets.UTF_8));
    }

    private static List<JobSpec> trials(String sweep) {
        return Trials.of(job("\"sweep\": " + sweep));
    }

    private static double learningRate(JobSpec job) {
        return ((OptimizerSpec.Sgd) job.optimizer()).learningRate();
    }

    @Test
    void aGridIsAllCombinationsTheLastFieldVariedFirst() {
        List<JobSpec> trials = trials("{\"optimizer.learningRate\": [0.1, 0.01, 1e-4], \"batchSize\": [16, 32]}");
        assertThat(trials)
                .extracting(JobSpec::id)
                .containsExactly(
                        "rates.1-lr0.1-bs16",
                        "rates.2-lr0.1-bs32",
                        "rates.3-lr0.01-bs16",
                        "rates.4-lr0.01-bs32",
                        "rates.5-lr0.0001-bs16",
                        "rates.6-lr0.0001-bs32");
        assertThat(trials).extracting(TrialsTest::learningRate).containsExactly(0.1, 0.1, 0.01, 0.01, 1e-4, 1e-4);
        assertThat(trials).extracting(JobSpec::batchSize).containsExactly(16, 32, 16, 32, 16, 32);
        assertThat(trials).allSatisfy(trial -> {
            assertThat(trial.group()).isEqualTo("rates");
            assertThat(trial.sweep()).isNull();
            assertThat(trial.epochs()).isEqualTo(3);
        });
    }

    @Test
    void aTrialEqualsTheJobWrittenByHand() {
        JobSpec written = job("\"optimizer\": {\"type\": \"sgd\", \"learningRate\": 0.5}, \"group\": \"rates\"");
        JobSpec trial = trials("{\"optimizer.learningRate\": [0.5]}").getFirst();
        assertThat(JobJson.write(trial))
                .isEqualTo(JobJson.write(written).replace("\"rates\",\"network", "\"rates.1-lr0.5\",\"network"));
    }

    @Test
    void aJobWithoutASweepIsItsOnlyTrial() {
        JobSpec job = job("\"seed\": 7");
        assertThat(Trials.of(job)).containsExactly(job);
    }

    /// Versions with different random draws would publish different jobs under one id.
    @Test
    void drawsNeverChange() {
        JobSpec sweep = job("""
                "random": 4, "seed": 7, "sweep": {"optimizer.learningRate": {"min": 0.0001, "max": 0.1, "scale": "log"},
                 "batchSize": {"min": 8, "max": 64}, "optimizer.momentum": {"min": 0, "max": 1}, "shuffle": [true, false]}""");
        List<JobSpec> trials = Trials.of(sweep);
        assertThat(trials)
                .extracting(JobSpec::id)
                .containsExactly(
                        "rates.1-lr0.000287-bs39-m0.8768-sfalse",
                        "rates.2-lr0.05414-bs43-m0.5277-sfalse",
                        "rates.3-lr0.0002706-bs38-m0.9998-strue",
                        "rates.4-lr0.01632-bs45-m0.7859-sfalse");
        assertThat(Trials.of(sweep)).isEqualTo(trials);
    }

    @Test
    void aLogarithmicRangeHasAsManyOfEachMagnitude() {
        List<JobSpec> trials = Trials.of(job("""
                "random": 900, "sweep": {"optimizer.learningRate": {"min": 0.0001, "max": 0.1, "scale": "log"}}"""));
        assertThat(trials).allSatisfy(trial -> assertThat(learningRate(trial)).isBetween(0.0001, 0.1));
        assertThat(trials.stream().filter(trial -> learningRate(trial) < 0.001)).hasSizeBetween(250, 350);
        assertThat(trials.stream().filter(trial -> learningRate(trial) > 0.01)).hasSizeBetween(250, 350);
    }

    @Test
    void wholeFieldsAreDrawnWholeWithBothBounds() {
        List<JobSpec> trials = Trials.of(job("\"random\": 200, \"sweep\": {\"batchSize\": {\"min\": 3, \"max\": 5}}"));
        assertThat(trials).extracting(JobSpec::batchSize).containsOnly(3, 4, 5);
        assertThat(List.of(3, 4, 5))
                .as("bounds are drawn as often as other values")
                .allSatisfy(size -> assertThat(trials.stream().filter(trial -> trial.batchSize() == size))
                        .hasSizeBetween(45, 90));
    }

    /// From 1 to 31 are five doublings; the base of the logarithm makes no difference.
    @Test
    void wholeFieldsHaveLogarithmicRangesToo() {
        List<JobSpec> trials = Trials.of(
                job("\"random\": 1000, \"sweep\": {\"batchSize\": {\"min\": 1, \"max\": 31, \"scale\": \"log\"}}"));
        assertThat(trials).extracting(JobSpec::batchSize).contains(1, 31).allMatch(size -> size >= 1 && size <= 31);
        assertThat(trials.stream().filter(trial -> trial.batchSize() < 8)).hasSizeBetween(560, 760);
    }

    /// An error in one field must not produce errors for others.
    @Test
    void eachFieldIsCheckedByItsOwnType() {
        assertThatThrownBy(() -> Trials.of(job("""
                "random": 4, "sweep": {"batchSize": {"min": 8, "max": 64}, "optimizer.learningRate": {"min": -2, "max": -1}}""")))
                .hasMessageContaining("optimizer.learningRate is -1.")
                .hasMessageNotContaining("it must be a whole number");
    }

    @Test
    void theSeedDecidesWhatIsDrawn() {
        String sweep = "\"random\": 8, \"seed\": %d, \"sweep\": {\"optimizer.learningRate\": {\"min\": 0, \"max\": 1}}";
        assertThat(Trials.of(job(sweep.formatted(1)))).isEqualTo(Trials.of(job(sweep.formatted(1))));
        assertThat(Trials.of(job(sweep.formatted(2))).stream().map(TrialsTest::learningRate))
                .doesNotContainAnyElementsOf(Trials.of(job(sweep.formatted(1))).stream()
                        .map(TrialsTest::learningRate)
                        .toList());
    }

    @Test
    void wholeObjectsMayBeVaried() {
        List<JobSpec> trials = trials(
                "{\"optimizer\": [{\"type\": \"adam\"}, {\"type\": \"sgd\", \"learningRate\": 0.1}], \"network\": [\"fashion\", \"lenet\"]}");
        assertThat(trials)
                .extracting(JobSpec::id)
                .containsExactly(
                        "rates.1-oadam-nfashion",
                        "rates.2-oadam-nlenet",
                        "rates.3-osgd-nfashion",
                        "rates.4-osgd-nlenet");
    }

    @Test
    void omittedFieldsMayBeVaried() {
        assertThat(trials("{\"clipGradients.norm\": [1, 2], \"devices\": [[\"cpu\", \"cpu\"]]}"))
                .extracting(
                        trial -> Objects.requireNonNull(trial.clipGradients()).norm())
                .containsExactly(1.0, 2.0);
    }

    @Test
    void namesThatBeginAlikeAreWritten() {
        assertThat(
                        trials(
                                "{\"optimizer.momentum\": [0.5], \"optimizer.dampening\": [0], \"dropLast\": [true], \"device\": [\"cpu\"]}"))
                .extracting(JobSpec::id)
                .containsExactly("rates.1-m0.5-optimizer_dampening0-dltrue-devicecpu");
    }

    @Test
    void tooLongTrialIdsKeepOnlyTheirNumber() {
        String id = "a".repeat(95);
        JobSpec job = job("\"sweep\": {\"seed\": [1, 2]}");
        List<JobSpec> trials =
                Trials.of(JobJson.read(JobJson.write(job).replace("rates", id).getBytes(StandardCharsets.UTF_8)));
        assertThat(trials).extracting(JobSpec::id).containsExactly(id + ".1-s1", id + ".2-s2");
        String longer = "a".repeat(97);
        assertThat(Trials.of(
                        JobJson.read(JobJson.write(job).replace("rates", longer).getBytes(StandardCharsets.UTF_8))))
                .extracting(JobSpec::id)
                .containsExactly(longer + ".1", longer + ".2");
        String longest = "a".repeat(99);
        assertThatThrownBy(() -> Trials.of(JobJson.read(
                        JobJson.write(job).replace("rates", longest).getBytes(StandardCharsets.UTF_8))))
                .hasMessageContainingAll("id has 99 characters", "up to 98");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"optimizer.learningRate\": [0.1, -1]} | trial 2, with optimizer.learningRate -1, | learningRate is -1",
                "{\"batchSize\": [\"a\"]} | trial 1, with batchSize \"a\", | a whole number",
                "{\"batchsize\": [1]} | with batchsize 1, | the nearest is \"batchSize\"",
                "{\"seed.low\": [1]} | with seed.low 1, | seed of the job is 0, which has no fields",
                "{\"optimizer.type\": [\"adam\"]} | sweep.optimizer.type | whole objects",
                "{\"id\": [\"a\"]} | sweep.id | leave it out",
                "{\"kind\": [\"evaluate\"]} | sweep.kind | leave it out",
            })
    void mistakesNameThePathAndTheValue(String sweep, String what, String why) {
        assertThatThrownBy(() -> trials(sweep))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll(what, why);
    }

    /// Errors of `random` would only follow from the sweep's error.
    @Test
    void reportsAnInvalidSweepAlone() {
        assertThatThrownBy(() -> job("\"random\": 3, \"asha\": {}, \"sweep\": {\"seed\": 7}"))
                .hasMessage(
                        "sweep.seed is 7; it must be a list of values, or a range such as {\"min\": 0.001, \"max\": 0.1, \"scale\": \"log\"}");
    }

    @Test
    void moreThanAThousandTrialsAreRefusedEarly() {
        String ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
        String most = "{\"seed\": %s, \"batchSize\": %s, \"epochs\": %s}".formatted(ten, ten, ten);
        assertThat(trials(most)).hasSize(1000);
        assertThatThrownBy(() -> trials(most.replace("}", ", \"keepLast\": [1, 2]}")))
                .hasMessageContainingAll("more than 1000 combinations", "random");
    }

    @Test
    void trialsComparedAtRungsMustBeComparable() {
        assertThatThrownBy(() -> Trials.of(job("\"asha\": {\"minEpochs\": 3}, \"sweep\": {\"seed\": [1]}")))
                .hasMessageContainingAll("asha.minEpochs is 3", "rates.1-s1 has epochs 3", "more epochs");
        assertThatThrownBy(
                        () -> Trials.of(
                                job(
                                        "\"asha\": {\"minEpochs\": 2, \"reductionFactor\": 2}, \"sweep\": {\"loss\": [{\"type\": \"mse\"}, {\"type\": \"crossEntropy\"}]}")))
                .hasMessageContaining("mse");
        assertThatThrownBy(() -> trials("{\"metric\": [\"macroF1\", \"loss\"]}"))
                .hasMessage(
                        "sweep varies metric between macroF1 and loss, and all trials are compared by one; choose one for the sweep");
    }

    /// Their names are rounded to the same value, but the trials differ.
    @Test
    void trialIdsAreUnique() {
        assertThat(trials("{\"optimizer.learningRate\": [0.10001, 0.100011]}"))
                .extracting(JobSpec::id)
                .containsExactly("rates.1-lr0.1", "rates.2-lr0.1");
    }

    @Test
    void anEntryOfAListMayBeVaried() {
        JobSpec sweep = JobJson.read("""
                {"id": "widths", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 1}, {"type": "linear", "out": 10}]},
                 "dataset": "shapes28", "epochs": 1, "sweep": {"network.layers.1.out": [8, 16]}}""".getBytes(StandardCharsets.UTF_8));
        assertThat(Trials.of(sweep)).extracting(JobSpec::id).containsExactly("widths.1-o8", "widths.2-o16");
        assertThat(Trials.of(sweep)).extracting(JobJson::write).allMatch(json -> json.contains("\"out\":10"));
        assertThatThrownBy(() -> Trials.of(JobJson.read(JobJson.write(sweep)
                        .replace("layers.1.out", "layers.3.out")
                        .getBytes(StandardCharsets.UTF_8))))
                .hasMessageContaining("network.layers.3 is not an index of a list of 3 entries; allowed is 0 to 2");
    }

    /// The order of the fields does not matter.
    @Test
    void aFieldOfAVariedObjectMayBeVaried() {
        assertThat(trials(
                        "{\"optimizer.learningRate\": [0.5], \"optimizer\": [{\"type\": \"sgd\", \"momentum\": 0.9}]}"))
                .extracting(TrialsTest::learningRate)
                .containsExactly(0.5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"random\": 3, \"sweep\": {\"seed\": [1, 2]} | random is 3, and the sweep's lists have no more than 2 combinations; leave random out",
                "\"sweep\": {\"learningRate\": [0.1]} | sweep.learningRate is given, but a job has no such field; write its path, \"optimizer.learningRate\"",
                "\"sweep\": {\"seed\": [1, 2, 1]} | sweep.seed has 1 twice, which would be two trials that are alike; give it once",
                "\"sweep\": {\"optimizer.learningRate\": [0.1, 1e-1]} | sweep.optimizer.learningRate has 0.1 twice",
                "\"sweep\": {\"seed.low.end\": [1]} | seed of the job is 0, which has no fields",
                "\"sweep\": {\"network.layers.0.out\": [1]} | network of the job is \"fashion\", which has no fields",
                "\"sweep\": {\"network.layers[0].out\": [1]} | a field of sweep is \"network.layers[0].out\"; allowed is the path of a field",
                "\"sweep\": {\"batchSize\": {\"min\": 1, \"max\": 8}} | random is missing, and sweep.batchSize is a range; set it to the number of trials",
                "\"random\": 3, \"sweep\": {\"batchSize\": {\"min\": 0, \"max\": 8, \"scale\": \"log\"}} | sweep.batchSize.min is 0.0; on a logarithmic scale it must be above 0, or give it the scale \"linear\"",
                "\"asha\": {}, \"sweep\": {\"seed\": [1, 2]} | asha has rungs after the epochs 1, and one of 4 trials continues at each: none of 2 trials would reach the last epoch; allowed is a reductionFactor of 2",
                "\"asha\": {\"reductionFactor\": 2}, \"sweep\": {\"seed\": [1, 2, 3]} | rungs after the epochs 1, 2, and one of 2 trials continues at each: none of 3 trials would reach the last epoch; allowed is a minEpochs of at least 2, or more trials",
                "\"asha\": {}, \"sweep\": {\"seed\": [1]} | leave asha out",
            })
    void reportsTheProblemAndItsSolution(String more, String sentence) {
        assertThatThrownBy(() -> Trials.of(job(more)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(sentence);
    }

    /// Together twenty times as large as the heap; each is released before the next is built.
    @Slow
    @Test
    void onlyOneTrialIsInMemoryAtATime() throws Exception {
        String printed =
                ChildJvm.run(SweepHeap.class, System.getProperty("java.class.path"), "-Xmx24m", "-XX:+UseSerialGC");
        assertThat(printed).matches("bytes [0-9]{8}\\s*");
    }
}
