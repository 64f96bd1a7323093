package io.trainyard.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.cli.Jobs;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobBookTest {
    private final List<String> warnings = new ArrayList<>();
    private final JobBook book = new JobBook(_ -> true, (_, _) -> {}, warnings::add);

    @Test
    void aCommandWithoutEventsWaits() {
        book.take(command("a"));
        assertThat(statuses()).containsExactly("a WAITING");
        assertThat(book.pages().iterator().next().isOver()).isFalse();
    }

    @Test
    void aRefusedCommandIsOverUntilAnotherOneComes() {
        book.take(command("a"));
        book.take(dead("a", "no data"));
        assertThat(statuses()).containsExactly("a REJECTED no data");
        book.take(command("a"));
        assertThat(statuses()).containsExactly("a WAITING");
    }

    @Test
    void aLaterCommandThatIsRefusedChangesNothingForTheJobThatRan() {
        Jobs.whole("a").forEach(event -> book.take(event(event)));
        book.take(dead("a", "conflict"));
        assertThat(statuses()).containsExactly("a FINISHED");
        assertThat(book.find("a")).extracting(JobBook.Page::rejection).isEqualTo("conflict");
    }

    @Test
    void aCommandNobodyCanReadIsKnownByItsKey() {
        book.take(new EventLog.Entry(Topic.DEAD_LETTER, "here", "b", "it is not JSON", "{".getBytes(UTF_8)));
        book.take(new EventLog.Entry(Topic.DEAD_LETTER, "here", null, "it is not JSON", "{".getBytes(UTF_8)));
        assertThat(statuses()).containsExactly("b REJECTED it is not JSON");
    }

    @Test
    void recordsThatAreNoEventsAreSkippedWithAWordEachUpToABound() {
        for (int i = 0; i < 1000; i++) {
            book.take(new EventLog.Entry(
                    Topic.JOBS, "jobs-0 at offset " + i, "a", null, "{\"type\": \"x\"}".getBytes(UTF_8)));
        }
        for (String bad : List.of("null", "{\"type\": \"failed\"}", "{\"type\": \"claimed\", \"job\": \"a\"}")) {
            book.take(new EventLog.Entry(Topic.JOBS, "here", "a", null, bad.getBytes(UTF_8)));
        }
        book.take(event(Jobs.claimed("a")));
        assertThat(statuses()).containsExactly("a CLAIMED");
        assertThat(warnings).hasSizeLessThan(30);
        assertThat(warnings.getFirst()).startsWith("skipped the record in jobs-0 at offset 0: it is not an event: ");
    }

    @Test
    void keepsTheNewestJobsUpToABound() {
        for (int i = 0; i <= JobBook.MAX_JOBS; i++) {
            book.take(event(Jobs.claimed("j" + i)));
        }
        assertThat(book.pages()).hasSize(JobBook.MAX_JOBS);
        assertThat(book.find("j0")).isNull();
        assertThat(book.find("j" + JobBook.MAX_JOBS)).isNotNull();
    }

    @Test
    void tableColumnsAreAlignedAndBounded() {
        Jobs.whole("a").forEach(event -> book.take(event(event)));
        book.take(command("a-longer-name"));
        book.take(new EventLog.Entry(Topic.DEAD_LETTER, "here", "x".repeat(99), "bad\u001b[31m", "{".getBytes(UTF_8)));
        List<String> rows = JobTable.rows(book.pages());
        assertThat(rows.get(0))
                .matches("JOB +STATE +NETWORK +DATA SET +DEVICE +WORKER +STEP +LOSS +ACCURACY +ELAPSED +REASON");
        assertThat(rows.get(1)).matches("a +FINISHED +lenet +shapes32 +cpu +w1 +20/20 +1\\.0000 +0\\.7500 +0:02 +-");
        assertThat(rows.get(2)).matches("a-longer-name +WAITING +lenet +shapes32 +- +- +- +- +- +- +-");
        assertThat(rows.get(3)).matches("x{39}… +REJECTED .*bad\\?\\[31m");
        int states = rows.get(0).indexOf("STATE");
        assertThat(rows).extracting(row -> row.charAt(states - 1)).containsOnly(' ');
        assertThat(rows).extracting(row -> row.charAt(states)).containsExactly('S', 'F', 'W', 'R');
    }

    private List<String> statuses() {
        return book.pages().stream()
                .map(page ->
                        page.state().job() + " " + page.status() + (page.reason() == null ? "" : " " + page.reason()))
                .toList();
    }

    private static EventLog.Entry command(String id) {
        byte[] json = JobJson.write(Jobs.spec(id)).getBytes(UTF_8);
        return new EventLog.Entry(Topic.COMMANDS_NORMAL, "here", id, null, json);
    }

    private static EventLog.Entry dead(String id, @Nullable String reason) {
        byte[] json = JobJson.write(Jobs.spec(id)).getBytes(UTF_8);
        return new EventLog.Entry(Topic.DEAD_LETTER, "here", id, reason, json);
    }

    private static EventLog.Entry event(TrainingEvent event) {
        return new EventLog.Entry(Topic.of(event), "here", event.job(), null, EventJson.write(event));
    }
}
