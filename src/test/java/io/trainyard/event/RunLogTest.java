package io.trainyard.event;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RunLogTest {
    @TempDir
    private Path root;

    private final List<String> warnings = new ArrayList<>();

    private void write(Path run, List<? extends TrainingEvent> events) {
        try (RunLog log = new RunLog(run, spec("a"), warnings::add)) {
            events.forEach(event -> log.write(event, TIME));
        }
    }

    private static List<TrainingEvent> events(List<JobRecord> records) {
        return records.stream()
                .filter(EventRecord.class::isInstance)
                .map(record -> ((EventRecord) record).event())
                .toList();
    }

    private static List<String> json(List<? extends TrainingEvent> events) {
        return events.stream()
                .map(event -> new String(SampleEvents.json(event), UTF_8))
                .toList();
    }

    @Test
    void holdsTheCommandAndTheEventsAsOnTheTopics() throws IOException {
        write(root.resolve("a"), whole("a"));
        Path file = root.resolve("a").resolve(RunLog.FILE);
        assertThat(Files.readAllLines(file).stream().skip(1)).containsExactlyElementsOf(json(whole("a")));
        RunLogLines lines = RunLogLines.read(file, "a", 0);
        assertThat(lines.records().getFirst())
                .isInstanceOfSatisfying(
                        Requested.class, command -> assertThat(command.spec()).isEqualTo(spec("a")));
        assertThat(json(events(lines.records()))).isEqualTo(json(whole("a")));
        assertThat(lines.end()).isEqualTo(Files.size(file));
        assertThat(RunLogLines.read(file, "a", lines.end()).records()).isEmpty();
        assertThat(warnings).isEmpty();
    }

    @Test
    void theRecordsHaveTheNameOfTheRun() throws IOException {
        Path file = root.resolve("a~2").resolve(RunLog.FILE);
        write(root.resolve("a~2"), whole("a"));
        assertThat(RunLogLines.read(file, "a~2", 0).records())
                .hasSize(8)
                .extracting(JobRecord::job)
                .containsOnly("a~2");
        assertThat(RunLog.unused(root, "a", "a")).isEqualTo(root.resolve("a"));
        assertThat(RunLog.unused(root, "a~2", "a")).isEqualTo(root.resolve("a~3"));
    }

    @Test
    void aTornLineIsSkippedAndTheResumedRunContinues() throws IOException {
        Path run = root.resolve("a");
        Path file = run.resolve(RunLog.FILE);
        write(run, List.of(claimed("a")));
        Files.writeString(file, "{\"type\":\"steps\",\"jo", StandardOpenOption.APPEND);
        RunLogLines before = RunLogLines.read(file, "a", 0);
        assertThat(before.records()).hasSize(2);
        write(run, List.of(claimed("a", 2)));
        RunLogLines after = RunLogLines.read(file, "a", before.end());
        assertThat(events(after.records())).containsExactly(claimed("a", 2));
        assertThat(after.skipped()).isEqualTo(1);
    }

    @Test
    void aLargeFileGetsNoMoreLossesButAllTests() throws IOException {
        try (RunLog log = new RunLog(root.resolve("a"), spec("a"), 2000, warnings::add)) {
            log.write(claimed("a"), TIME);
            for (int step = 1; step < 1000; step += 10) {
                log.write(losses("a", 1, 0, step, 10), TIME);
            }
            log.write(tested("a", 1, 0, 1000, 0.5), TIME);
            log.write(finished("a", 1, 1000), TIME);
        }
        Path file = root.resolve("a").resolve(RunLog.FILE);
        assertThat(events(RunLogLines.read(file, "a", 0).records()))
                .hasSizeLessThan(20)
                .endsWith(finished("a", 1, 1000));
        assertThat(warnings).singleElement().asString().contains("no further losses");
    }

    @Test
    void aFileThatCannotBeWrittenIsReportedOnce() throws IOException {
        Files.writeString(root.resolve("a"), "no folder");
        write(root.resolve("a"), whole("a"));
        assertThat(warnings).singleElement().asString().contains("cannot be written");
    }

    @Test
    @Timeout(60)
    void canBeFollowedWhileItIsWritten() throws Exception {
        Path file = root.resolve("a").resolve(RunLog.FILE);
        List<TrainingEvent> all = new ArrayList<>(List.of(claimed("a"), started("a", 1, 1)));
        for (int step = 1; step < 20_000; step += 10) {
            all.add(losses("a", 1, 0, step, 10));
        }
        all.add(finished("a", 1, 20_000));
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(root.resolve("a"), all));
        List<TrainingEvent> read = new ArrayList<>();
        long position = 0;
        while (read.size() < all.size()) {
            if (Files.exists(file)) {
                RunLogLines lines = RunLogLines.read(file, "a", position);
                assertThat(lines.skipped()).isZero();
                read.addAll(events(lines.records()));
                position = lines.end();
            }
        }
        Patience.get(written);
        assertThat(json(read)).isEqualTo(json(all));
    }
}
