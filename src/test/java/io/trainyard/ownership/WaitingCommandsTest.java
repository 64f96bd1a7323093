package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.ownership.CommandContent.Refusal;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitingCommandsTest {
    private final OwnershipMonitor monitor =
            new OwnershipMonitor("me", new OwnershipMonitor.Rules(8, 1000), new ControlRequests());
    private final WaitingCommands view = new WaitingCommands(monitor, 3);

    private void command(Topic topic, long offset, CommandContent request) {
        view.add(WaitingCommand.of(topic, offset, request));
    }

    private void ownership(String job, @Nullable Ownership ownership) {
        monitor.ownership(job, ownership);
        view.ownership(job, ownership);
    }

    private List<String> jobs() {
        return view.all().stream().map(WaitingCommand::job).toList();
    }

    @Test
    void sortsByPriorityAndAge() {
        command(Topic.COMMANDS_NORMAL, 1, Requests.of("b", 1));
        command(Topic.COMMANDS_NORMAL, 0, Requests.of("a", 1));
        command(Topic.COMMANDS_HIGH, 7, Requests.of("c", 1).at(Priority.HIGH));
        assertThat(jobs()).containsExactly("c", "a", "b");
    }

    @Test
    void aCommandWaitsUntilItsJobHasAnOwner() {
        command(Topic.COMMANDS_NORMAL, 0, Requests.of("a", 1));
        ownership("a", Ownership.running(Requests.of("a", 1), "w"));
        ownership("b", Ownership.running(Requests.of("b", 1), "w"));
        command(Topic.COMMANDS_NORMAL, 1, Requests.of("b", 1));
        assertThat(jobs()).isEmpty();
    }

    @Test
    void theNextAttemptWaitsDespiteAnOlderOwnership() {
        ownership("a", Ownership.running(Requests.of("a", 1), "w"));
        command(Topic.COMMANDS_NORMAL, 1, Requests.of("a", 2));
        ownership("a", Ownership.waiting(Requests.of("a", 2), "w", 1));
        assertThat(jobs()).containsExactly("a");
        ownership("a", Ownership.running(Requests.of("a", 1), "late")); // an older record that arrives late
        assertThat(jobs()).containsExactly("a");
        ownership("a", Ownership.running(Requests.of("a", 2), "w"));
        assertThat(jobs()).isEmpty();
    }

    @Test
    void pausedAndEndedJobsDoNotWait() {
        command(Topic.COMMANDS_NORMAL, 0, Requests.of("rests", 1));
        command(Topic.COMMANDS_NORMAL, 1, Requests.of("ended", 1));
        ownership("rests", Ownership.paused(Requests.of("rests", 1), "w"));
        ownership("ended", null);
        assertThat(jobs()).isEmpty();
    }

    @Test
    void aSecondCopyOfTheCommandOfAnEndedJobDoesNotWait() {
        ownership("a", Ownership.running(Requests.of("a", 1), "w"));
        ownership("a", null);
        command(Topic.COMMANDS_HIGH, 1, Requests.of("a", 1).at(Priority.HIGH));
        assertThat(jobs()).isEmpty();
        ownership("a", Ownership.waiting(Requests.of("a", 2), "w", 1)); // another job with that id had ended
        command(Topic.COMMANDS_HIGH, 2, Requests.of("a", 2).at(Priority.HIGH));
        assertThat(jobs()).containsExactly("a");
    }

    @Test
    void copiesOfACommandCountOnce() {
        command(Topic.COMMANDS_NORMAL, 0, Requests.of("a", 1));
        command(Topic.COMMANDS_NORMAL, 1, Requests.of("a", 1));
        command(Topic.COMMANDS_HIGH, 0, Requests.of("a", 1).at(Priority.HIGH));
        assertThat(view.all()).extracting(WaitingCommand::topic).containsExactly(Topic.COMMANDS_HIGH);
    }

    @Test
    void theShareGroupsStateRemovesProcessedCommands() {
        for (int offset = 0; offset < 4; offset++) {
            command(Topic.COMMANDS_NORMAL, offset, Requests.of("job-" + offset, 1));
        }
        assertThat(view.isFull(Topic.COMMANDS_NORMAL)).isTrue();
        assertThat(view.isFull(Topic.COMMANDS_HIGH)).isFalse();
        view.dealtWith(Topic.COMMANDS_NORMAL, 1);
        assertThat(jobs()).containsExactly("job-1", "job-2", "job-3");
        view.atMost(Topic.COMMANDS_NORMAL, 1);
        assertThat(jobs()).containsExactly("job-3");
        assertThat(view.isFull(Topic.COMMANDS_NORMAL)).isFalse();
    }

    @Test
    void reportsTheWorkersThatMayRunACommand() {
        WaitingCommand any =
                WaitingCommand.of(Topic.COMMANDS_NORMAL, 0, Requests.of("a", 1).refused(new Refusal("w", "no data")));
        assertThat(any.isFor("cpu")).isTrue();
        assertThat(any.isFor("cuda")).isTrue();
        assertThat(any.refusedBy()).containsExactly("w");
        assertThat(any.schemaVersion()).isOne();
    }
}
