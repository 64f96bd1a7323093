package io.trainyard.cli;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/// Control requests against a real broker. The test plays the worker.
@Slow
class ControlCommandsTest extends FleetCommands {
    @Test
    void cancelWaitsForTheWorkersConfirmation() throws Exception {
        submit("a");
        publish(claimed("a"));
        controlAndObey(new Control("a", DesiredState.CANCEL, null, now()), cancelled("a", 1, 7), "cancel", "a");
        assertThat(out.toString(UTF_8).strip()).isEqualTo("job a is cancelled at step 7");
        out.reset();
        assertThat(run("", "cancel", "a")).isZero();
        assertThat(out.toString(UTF_8).strip()).isEqualTo("job a was cancelled already, at step 7");
        assertThat(controls()).hasSize(1);
    }

    @Test
    void aJobIsPausedAndResumed() throws Exception {
        submit("a");
        publish(claimed("a"));
        publish(started("a", 1, 1));
        controlAndObey(new Control("a", DesiredState.PAUSE, null, now()), paused("a", 1, 7), "pause", "a");
        assertThat(out.toString(UTF_8)).contains("job a is paused at step 7; ./trainyard resume");
        assertThat(run("", "pause", "a")).isZero();
        assertThat(out.toString(UTF_8)).contains("job a is paused already");
        assertThat(controls()).hasSize(1);
        controlAndObey(new Control("a", DesiredState.RUN, null, now()), resumed("a", 1), "resume", "a");
        assertThat(out.toString(UTF_8)).contains("job a continues: it is queued");
        assertThat(run("", "resume", "a")).isZero();
        assertThat(out.toString(UTF_8)).contains("job a is queued and was not paused; nothing to resume");
        assertThat(controls()).hasSize(2);
    }

    @Test
    void aRequestWithoutEffectInTimeIsStoredAndCanBeRevoked() {
        submit("a");
        publish(claimed("a"));
        assertThat(run("", "pause", "a", "--timeout", "1")).isZero();
        assertThat(out.toString(UTF_8))
                .contains("job a does not show it yet: the request is stored and will be applied");
        assertThat(run("", "resume", "a")).isZero();
        assertThat(out.toString(UTF_8)).contains("job a continues: it is running");
        assertThat(controls()).extracting(Control::desiredState).containsExactly(DesiredState.PAUSE, DesiredState.RUN);
    }

    @Test
    void refusesRequestsForEndedJobs() {
        submit("a");
        publish(finished("a", 1, 20));
        for (List<String> command : List.of(
                List.of("cancel", "a"),
                List.of("pause", "a"),
                List.of("resume", "a"),
                List.of("reprioritize", "a", "low"))) {
            err.reset();
            assertThat(run("", command.toArray(String[]::new))).isEqualTo(ExitCodes.FAILED);
            assertThat(err.toString(UTF_8).strip())
                    .isEqualTo("job a has finished already; nothing to " + command.getFirst());
        }
        assertThat(controls()).isEmpty();
    }

    @Test
    void anUnknownJobRefusesTheWholeRequest() {
        submit("tudui-1");
        submit("b");
        assertThat(run("", "cancel", "b", "tudui-2")).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString(UTF_8).strip())
                .isEqualTo(
                        "job tudui-2 is not known: nothing was submitted under that id, but there is tudui-1; ./trainyard jobs lists all");
        assertThat(controls()).isEmpty();
        assertThat(run("", "cancel", "b", "--timeout", "-1")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    /// Trials that are paused at a rung must be resumed one by one; `--all` skips them.
    @Test
    void aControlRequestAppliesToAllJobsOfASweep() {
        String job = "{id: %s, network: lenet, dataset: shapes32, epochs: 4, group: %s, asha: {}}";
        String jobs =
                "[%s, %s, %s]".formatted(job.formatted("a", "g"), job.formatted("b", "g"), job.formatted("c", "h"));
        assertThat(run(jobs, "submit", "-")).isZero();
        publish(claimed("a"));
        publish(new TrainingEvent.Paused("a", 1, 7, 1, "others are better"));
        publish(claimed("b"));
        out.reset();
        assertThat(run("", "resume", "--sweep", "g")).isZero();
        assertThat(out.toString(UTF_8))
                .contains(
                        "job a is paused because other trials of its sweep are better",
                        "job b is running and was not paused");
        assertThat(controls()).isEmpty();
        assertThat(run("", "resume", "a", "--timeout", "0")).isZero();
        assertThat(controls()).singleElement().matches(Control::skipsRungs);
        assertThat(run("", "cancel", "--sweep", "g", "--timeout", "0")).isZero();
        assertThat(controls()).extracting(Control::job).containsExactlyInAnyOrder("a", "a", "b");
        out.reset();
        assertThat(run("", "sweep", "g")).isZero();
        assertThat(out.toString(UTF_8)).startsWith("sweep g: 2 trials, 1 paused, 1 running");
        assertThat(run("", "cancel", "--sweep", "none")).isEqualTo(ExitCodes.FAILED);
        assertThat(run("", "sweep", "none")).isEqualTo(ExitCodes.FAILED);
        assertThat(run("", "cancel")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "cancel", "a", "--sweep", "g")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    /// Trials that were paused at a rung stay paused there, without a control request to resume.
    @Test
    void aPausedSweepIsResumedAsAWhole() {
        String job = "{id: %s, network: lenet, dataset: shapes32, epochs: 4, group: g, asha: {}}";
        assertThat(run(
                        "[%s, %s, %s]".formatted(job.formatted("a"), job.formatted("b"), job.formatted("c")),
                        "submit",
                        "-"))
                .isZero();
        publish(claimed("a"));
        publish(new TrainingEvent.Paused("a", 1, 7, 1, "others are better"));
        publish(claimed("b"));
        publish(finished("c", 1, 20));
        assertThat(run("", "pause", "--sweep", "g", "--timeout", "0")).isZero();
        assertThat(controls())
                .extracting(Control::job, Control::desiredState)
                .containsExactlyInAnyOrder(tuple("a", DesiredState.PAUSE), tuple("b", DesiredState.PAUSE));
        assertThat(run("", "resume", "--sweep", "g", "--timeout", "0")).isZero();
        assertThat(controls().subList(2, 4))
                .allMatch(desiredState -> desiredState.desiredState() == DesiredState.RUN && !desiredState.skipsRungs())
                .extracting(Control::job)
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void answersAreJsonForPrograms() {
        submit("a");
        submit("b");
        publish(finished("b", 1, 20));
        assertThat(run("", "cancel", "a", "b", "--json", "--timeout", "0")).isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString(UTF_8).lines())
                .containsExactlyInAnyOrder(
                        "{\"job\":\"b\",\"state\":\"finished\",\"done\":true,\"ok\":false,\"answer\":\"has finished already; nothing to cancel\"}",
                        "{\"job\":\"a\",\"state\":\"queued\",\"done\":false,\"ok\":true,\"answer\":\"does not show it yet: the request is stored and will be applied; ./trainyard jobs shows when\"}");
    }

    @Test
    void aWaitingJobIsReprioritizedByACopyOfItsCommand() {
        createTopics();
        byte[] command = JOB.formatted("\"a\"")
                .replace("id:", "\"id\":")
                .replace("network: lenet, dataset: shapes32", "\"network\": \"lenet\", \"dataset\": \"shapes32\"")
                .replaceAll(", (epochs|batchSize|reportEverySteps):", ", \"$1\":")
                .getBytes(UTF_8);
        var headers = new RecordHeaders().add("trainyard-attempt", "3".getBytes(UTF_8));
        var _ = worker.send(new ProducerRecord<>(Topic.COMMANDS_NORMAL.name(prefix), null, "a", command, headers));
        worker.flush();
        assertThat(run("", "reprioritize", "a", "high")).isZero();
        assertThat(out.toString(UTF_8).strip()).isEqualTo("job a waits with the priority high");
        assertThat(read(Topic.COMMANDS_HIGH)).singleElement().satisfies(copy -> {
            assertThat(copy.key()).isEqualTo("a");
            assertThat(copy.body()).isEqualTo(command);
            assertThat(copy.entry().headers().lastHeader("trainyard-attempt").value())
                    .isEqualTo("3".getBytes(UTF_8));
        });
        assertThat(controls()).extracting(Control::priority).containsExactly(RequestedPriority.HIGH);
        assertThat(run("", "reprioritize", "a", "urgent")).isEqualTo(ExitCodes.BAD_INPUT);
    }

    @Test
    void aRunningJobKeepsItsRequestedPriority() {
        submit("a");
        publish(claimed("a"));
        assertThat(run("", "reprioritize", "a", "low")).isZero();
        assertThat(out.toString(UTF_8).strip())
                .isEqualTo("job a is running: the priority low is kept for when it waits for a worker again");
        assertThat(read(Topic.COMMANDS_LOW)).isEmpty();
        assertThat(run("", "pause", "a", "--timeout", "0")).isZero();
        assertThat(run("", "reprioritize", "a", "high")).isZero();
        assertThat(controls())
                .extracting(Control::desiredState)
                .containsExactly(DesiredState.RUN, DesiredState.PAUSE, DesiredState.PAUSE);
        assertThat(controls())
                .extracting(Control::priority)
                .containsExactly(RequestedPriority.LOW, RequestedPriority.LOW, RequestedPriority.HIGH);
    }

    private void controlAndObey(Control expected, TrainingEvent obeyed, String... command) throws Exception {
        int before = controls().size();
        CompletableFuture<Integer> status = CompletableFuture.supplyAsync(() -> run("", command));
        Patience.await("the control request").until(() -> controls().size() > before);
        assertThat(controls().getLast())
                .usingRecursiveComparison()
                .ignoringFields("time")
                .isEqualTo(expected);
        assertThat(status).isNotDone();
        publish(obeyed);
        assertThat(Patience.get(status)).as(err.toString(UTF_8)).isZero();
    }

    private List<Control> controls() {
        return read(Topic.CONTROL).stream()
                .map(ControlCommandsTest::desiredState)
                .toList();
    }

    private static Control desiredState(TopicRecord entry) {
        try {
            Control desiredState = EventJson.readControl(entry.body());
            assertThat(entry.key()).isEqualTo(desiredState.job());
            assertThat(new String(entry.entry().headers().lastHeader("ce_type").value(), UTF_8))
                    .isEqualTo(CloudEvents.CONTROL);
            return desiredState;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Instant now() {
        return Instant.now();
    }
}
