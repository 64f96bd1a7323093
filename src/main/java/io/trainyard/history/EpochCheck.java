package io.trainyard.history;

import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.JobKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Checks that each epoch of a finished job was tested once.
///
/// @param counted the attempts that count, each with its first step that does not count
record EpochCheck(SortedMap<Integer, AttemptHistory> attempts, SortedMap<Integer, Long> counted) {
    void check(Finished finished, Consumer<String> wrong, Consumer<String> remark) {
        Started start = attempts.values().stream()
                .map(AttemptHistory::start)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        Map<Integer, List<Integer>> tests = tests();
        tests.forEach((epoch, by) -> {
            if (by.size() > 1) {
                wrong.accept("epoch %d is tested by attempts %s, each of which counts".formatted(epoch, by));
            }
        });
        if (start == null) {
            remark.accept("its start was deleted from the topic, so its epochs are unknown");
        } else if (start.spec().kind() == JobKind.EVALUATE) {
            if (tests.isEmpty()) {
                remark.accept("its test was deleted from the topic");
            }
        } else if (start.stepsPerEpoch() > 0) {
            reportMissing((int) (finished.steps() / start.stepsPerEpoch()), tests, wrong, remark);
        }
    }

    private static void reportMissing(
            int epochs, Map<Integer, List<Integer>> tests, Consumer<String> wrong, Consumer<String> remark) {
        int deleted = 0;
        while (deleted < epochs && !tests.containsKey(deleted)) {
            deleted++;
        }
        if (deleted > 0) {
            remark.accept("%s no longer on the topic".formatted(JobCheck.are("test", 0, deleted - 1L)));
        }
        for (int epoch = deleted; epoch < epochs; epoch++) {
            if (!tests.containsKey(epoch)) {
                wrong.accept("epoch %d is tested by no attempt that counts".formatted(epoch));
            }
        }
    }

    private Map<Integer, List<Integer>> tests() {
        Map<Integer, List<Integer>> tests = new TreeMap<>();
        counted.forEach((number, end) -> {
            AttemptHistory attempt = attempts.get(number);
            if (attempt != null) {
                attempt.tests().forEach((epoch, step) -> {
                    if (step < end) {
                        tests.computeIfAbsent(epoch, _ -> new ArrayList<>()).add(number);
                    }
                });
            }
        });
        return tests;
    }
}
