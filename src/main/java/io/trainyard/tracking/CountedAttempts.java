package io.trainyard.tracking;

import io.trainyard.event.JobState;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The attempts of a job that contribute losses, in order, each with its last step that counts. A newer attempt
/// continues after that step.
///
/// @param lastSteps by attempt; [Long#MAX_VALUE] if all steps count
record CountedAttempts(SortedMap<Integer, Long> lastSteps) {
    static CountedAttempts of(JobState state) {
        SortedMap<Integer, Long> steps = new TreeMap<>();
        state.attemptsToSteps()
                .forEach((attempt, end) -> steps.put(attempt, end == Long.MAX_VALUE ? Long.MAX_VALUE : end - 1));
        return new CountedAttempts(steps);
    }

    /// The format in the table of jobs: `1:500 2:`.
    String text() {
        return lastSteps.entrySet().stream()
                .map(part -> part.getKey() + ":" + (part.getValue() == Long.MAX_VALUE ? "" : part.getValue()))
                .collect(Collectors.joining(" "));
    }

    static CountedAttempts read(String text) {
        SortedMap<Integer, Long> steps = new TreeMap<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(" ")) {
            int colon = part.indexOf(':');
            String step = part.substring(colon + 1);
            steps.put(
                    Integer.parseInt(part.substring(0, colon)), step.isEmpty() ? Long.MAX_VALUE : Long.parseLong(step));
        }
        return new CountedAttempts(steps);
    }
}
