package io.trainyard.worker;

import io.trainyard.device.PartLostException;
import io.trainyard.training.PartTraining;
import io.trainyard.training.Supervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The connections of those who train jobs together in a simulated world: a leader listens, members come, and all see
/// when one of them is gone.
final class SimGangs {
    /// How long a leader waits.
    static final Duration WITHIN = Duration.ofMinutes(5);

    private static final Duration ASK = Duration.ofMillis(500);

    /// So many steps nobody takes who looks after each whether all are there.
    private static final int MOST_ALONE = 3;

    private final List<Gang> all = new ArrayList<>(); // by port, from 1 on
    private final List<String> wrong = new ArrayList<>();

    /// What nobody may ever do, and somebody did.
    List<String> wrong() {
        return wrong;
    }

    /// One attempt's.
    final class Gang {
        private final SimProcess leader;
        private final String job;
        private final int attempt;
        private final int count;
        private final Set<SimProcess> members = new LinkedHashSet<>();
        private boolean begun;
        private boolean ended;
        private boolean left; // one of them is
        private int steps; // taken since
        private int port;

        private Gang(SimProcess leader, String job, int attempt, int count) {
            this.leader = leader;
            this.job = job;
            this.attempt = attempt;
            this.count = count;
        }

        int port() {
            return port;
        }

        int missing() {
            members.removeIf(SimProcess::isCrashed);
            return count - 1 - members.size();
        }

        /// All are there.
        void begin() {
            begun = true;
            Set<SimProcess> mine = processes();
            if (mine.size() < count) {
                wrong.add("job %s is trained by %d workers, and not by %d".formatted(job, mine.size(), count));
            }
            for (Gang other : all) {
                boolean trains = other != this && other.begun && !other.isGone() && !other.isLost();
                if (trains && other.processes().stream().anyMatch(mine::contains)) {
                    wrong.add("a worker with one slot trains both %s and %s".formatted(job, other.job));
                }
            }
        }

        private Set<SimProcess> processes() {
            Set<SimProcess> processes = new LinkedHashSet<>(members);
            processes.add(leader);
            return processes;
        }

        /// The leader has taken a step.
        void step() {
            steps += isLost() ? 1 : 0;
            if (steps == MOST_ALONE) {
                wrong.add("job %s is trained on without all of its workers".formatted(job));
            }
        }

        /// Whether a member is gone for the leader.
        boolean isLost(Supervisor supervisor) {
            return isLost()
                    || members.stream()
                            .anyMatch(
                                    member -> supervisor.missing(member.name()).isPresent());
        }

        private boolean isLost() {
            return left || members.stream().anyMatch(SimProcess::isCrashed);
        }

        void end() {
            ended = true;
        }

        private boolean isGone() {
            return ended || leader.isCrashed();
        }
    }

    /// Begins to listen.
    Gang open(SimProcess leader, String job, int attempt, int count) {
        Gang gang = new Gang(leader, job, attempt, count);
        all.add(gang);
        gang.port = all.size();
        return gang;
    }

    /// What a worker does that comes to a leader.
    PartRunner member(SimProcess me) {
        return (leader, member) -> {
            Gang gang = all.get(leader.getPort() - 1);
            if (gang.begun || gang.isGone() || gang.missing() == 0) {
                throw new PartLostException("it does not listen");
            }
            gang.members.add(me);
            while (!gang.begun) {
                me.sleep(ASK);
                boolean stops = member.stops() || isMissing(gang, member);
                if (gang.isGone() || (!gang.begun && stops)) {
                    gang.members.remove(me);
                    throw new PartLostException("it is waited for no longer");
                }
            }
            member.begins(gang.job, gang.attempt, () -> gang.left = true);
            while (!gang.isGone()) {
                me.sleep(ASK);
                if (gang.isLost() || isMissing(gang, member)) {
                    gang.left = true;
                    throw new PartLostException("another is lost");
                }
            }
            return "its attempt has ended";
        };
    }

    private static boolean isMissing(Gang gang, PartTraining.Member member) {
        return member.missing(gang.leader.name()).isPresent();
    }
}
