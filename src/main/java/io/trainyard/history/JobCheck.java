package io.trainyard.history;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.history.AttemptHistory.Word;
import io.trainyard.history.HistoryChecker.Report;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The published records of one job, and its violated guarantees.
final class JobCheck {
    private static final int MAX_REPORTED = 10;

    /// Equal to the number of attempts that a [JobState] keeps.
    private static final int MAX_ATTEMPTS = 1000;

    private final JobState state;
    private final NavigableMap<Integer, AttemptHistory> attempts = new TreeMap<>();

    /// The different published ends.
    private final Map<String, TrainingEvent> ends = new LinkedHashMap<>();

    private boolean stepsLeftOut;
    private boolean findable;
    private int stored;

    JobCheck(String job) {
        state = new JobState(job);
    }

    void take(JobRecord record) {
        state.apply(record);
        if (!(record instanceof EventRecord eventRecord) || !state.accepts(eventRecord)) {
            return;
        }
        TrainingEvent event = eventRecord.event();
        boolean areLossesStored = attempts.computeIfAbsent(event.attempt(), _ -> new AttemptHistory())
                .take(eventRecord);
        stepsLeftOut |= !areLossesStored;
        boolean isEnd = event instanceof Finished
                || event instanceof TrainingEvent.Failed
                || event instanceof TrainingEvent.Cancelled
                || event instanceof TrainingEvent.Expanded;
        if (isEnd && ends.size() < MAX_REPORTED) {
            ends.putIfAbsent(new String(EventJson.write(event, Instant.EPOCH), StandardCharsets.UTF_8), event);
        }
        while (attempts.size() > MAX_ATTEMPTS) {
            attempts.pollLastEntry();
        }
    }

    void leaveOutSteps() {
        stepsLeftOut = true;
    }

    /// Its command is in a queue or deferred, or it has a record of ownership.
    void findable() {
        findable = true;
    }

    void stored(int attemptsOfStore) {
        stored = attemptsOfStore;
    }

    boolean hasEnded() {
        return state.status().isFinal();
    }

    void report(Report report, Duration maxOverlap, boolean complete, boolean lostAreKnown) {
        Consumer<String> wrong = sentence -> report.wrong().add("job " + state.job() + ": " + sentence);
        Consumer<String> remark = sentence -> report.remarks().add("job " + state.job() + ": " + sentence);
        checkEnds(wrong, complete ? wrong : remark);
        checkLost(lostAreKnown, wrong, remark);
        SortedMap<Integer, Long> counted = state.attemptsToSteps();
        remarkMissingRecords(remark);
        attempts.forEach((number, attempt) -> checkSilenceAfterEnd(number, attempt, maxOverlap, wrong));
        attempts.forEach((number, attempt) -> checkOverlap(number, attempt, maxOverlap, wrong));
        checkBits(wrong);
        if (ends.size() == 1 && ends.values().iterator().next() instanceof Finished finished) {
            if (stepsLeftOut) {
                remark.accept("it has too many losses, or too large gaps between them, to be checked");
            } else {
                checkSteps(finished.steps(), counted, wrong, remark);
            }
            new EpochCheck(attempts, counted).check(finished, wrong, remark);
        }
    }

    private void checkEnds(Consumer<String> wrong, Consumer<String> open) {
        if (ends.size() > 1) {
            wrong.accept("it has more than one end: "
                    + String.join(
                            ", ",
                            ends.values().stream()
                                    .map(end -> "%s in attempt %d".formatted(end.type(), end.attempt()))
                                    .toList()));
        }
        if (!state.status().isFinal()) {
            open.accept(
                    "it has not ended: it is %s".formatted(state.status().name().toLowerCase(Locale.ROOT)));
        }
    }

    private void checkLost(boolean lostAreKnown, Consumer<String> wrong, Consumer<String> remark) {
        if (hasEnded()) {
            return;
        }
        int published = attempts.isEmpty() ? 0 : attempts.lastKey();
        String fewer = stored > published
                ? "the store has %s of it, and events name %d".formatted(counted("attempt", stored), published)
                : "";
        if (lostAreKnown && !findable) {
            wrong.accept(
                    "it is lost: its command is in no topic, no worker owns it, it is not deferred, and it is not dead-lettered%s. Submit the same job under the same id: it resumes from its newest checkpoint"
                            .formatted(fewer.isEmpty() ? "" : "; " + fewer));
        } else if (!fewer.isEmpty()) {
            remark.accept(fewer);
        }
    }

    private static String counted(String what, int count) {
        return count == 1 ? "1 " + what : "%d %ss".formatted(count, what);
    }

    private void remarkMissingRecords(Consumer<String> remark) {
        int before = 0;
        for (var attempt : attempts.entrySet()) {
            int number = attempt.getKey();
            if (number > before + 1) {
                remark.accept("no records of %s: its worker died before its first event"
                        .formatted(range("attempt", before + 1, number - 1)));
            }
            if (attempt.getValue().claim() == null && attempt.getValue().last() != null) {
                remark.accept("attempt %d published %s, but no claim: its worker died before the brokers had it"
                        .formatted(number, attempt.getValue().last().type()));
            }
            before = number;
        }
    }

    /// Another worker may publish a pause or a cancellation, so the owner may notice it slightly later.
    private static void checkSilenceAfterEnd(
            int number, AttemptHistory attempt, Duration maxLate, Consumer<String> wrong) {
        Word last = attempt.last();
        Word end = attempt.end();
        if (last != null
                && end != null
                && last.millis() > end.millis() + (end.maybeOthers() ? maxLate.toMillis() : 0)) {
            wrong.accept("attempt %d published %s %d ms after its end, %s"
                    .formatted(number, last.type(), last.millis() - end.millis(), end.type()));
        }
    }

    private void checkOverlap(int number, AttemptHistory attempt, Duration maxOverlap, Consumer<String> wrong) {
        Word last = attempt.last();
        Word next = nextClaim(number);
        if (last != null && next != null && last.millis() - next.millis() > maxOverlap.toMillis()) {
            wrong.accept("attempt %d published %s %d ms after a newer one was claimed; allowed is %d ms"
                    .formatted(number, last.type(), last.millis() - next.millis(), maxOverlap.toMillis()));
        }
    }

    private @Nullable Word nextClaim(int number) {
        for (AttemptHistory newer : attempts.tailMap(number, false).values()) {
            if (newer.claim() != null) {
                return newer.claim();
            }
        }
        return null;
    }

    private void checkBits(Consumer<String> wrong) {
        for (var attempt : attempts.entrySet()) {
            PublishedLosses losses = attempt.getValue().losses();
            if (losses.firstConflict() > 0) {
                wrong.accept("attempt %d published step %d twice, with different losses"
                        .formatted(attempt.getKey(), losses.firstConflict()));
            }
            Started start = attempt.getValue().start();
            if (start != null && losses.firstStep() > 0 && losses.firstStep() < start.firstStep()) {
                wrong.accept("attempt %d published step %d, but starts at step %d"
                        .formatted(attempt.getKey(), losses.firstStep(), start.firstStep()));
            }
            attempts.tailMap(attempt.getKey(), false).forEach((number, newer) -> {
                long step = attempt.getValue().computesAs(newer) ? losses.differsFrom(newer.losses()) : 0;
                if (step > 0) {
                    wrong.accept("step %d has the loss %s in attempt %d and %s in attempt %d"
                            .formatted(
                                    step,
                                    losses.loss(step),
                                    attempt.getKey(),
                                    newer.losses().loss(step),
                                    number));
                }
            });
        }
    }

    private void checkSteps(
            long last, SortedMap<Integer, Long> counted, Consumer<String> wrong, Consumer<String> remark) {
        if (last > HistoryChecker.MAX_STEPS) {
            remark.accept("its %d steps are too many to check".formatted(last));
            return;
        }
        BitSet published = new BitSet();
        counted.forEach((number, end) -> {
            AttemptHistory attempt = attempts.get(number);
            if (attempt != null) {
                attempt.losses().mark(published, last, end);
            }
        });
        int reported = 0;
        for (int from = published.nextClearBit(1); from <= last && reported < MAX_REPORTED; reported++) {
            int next = published.nextSetBit(from);
            long to = next < 0 ? last : next - 1;
            if (from == 1) {
                remark.accept("%s no longer on the topic".formatted(are("step", 1, to)));
            } else {
                wrong.accept("%s published by no attempt that counts".formatted(are("step", from, to)));
            }
            from = next < 0 ? (int) last + 1 : published.nextClearBit(next);
        }
    }

    static String are(String what, long from, long to) {
        return range(what, from, to) + (from == to ? " is" : " are");
    }

    private static String range(String what, long from, long to) {
        return from == to ? "%s %d".formatted(what, from) : "%ss %d to %d".formatted(what, from, to);
    }
}
