package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobChain;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.eventlog.OwnershipScan;
import io.trainyard.cli.watch.JobRecordReader;
import io.trainyard.cli.watch.SeenJobNames;
import io.trainyard.event.JobRecord;
import io.trainyard.history.HistoryChecker;
import io.trainyard.spec.Printable;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "events",
        description = {
            "Prints events as JSON, one per line, or checks them.",
            "With --check it prints violated guarantees instead."
        },
        exitCodeList = {
            ExitCodes.OK_HELP,
            "1:the job has no events; a guarantee is violated; or an internal error",
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {"  ./trainyard events --job tudui-1 > tudui-1.jsonl", "  ./trainyard events --check --job tudui-1"})
public final class EventsCommand extends FleetCommand {
    private static final JsonFactory JSON = new JsonFactory();

    private static final int MAX_TEXT = 500;

    /// The result of a check, in sentences.
    record Checked(int jobs, List<String> wrong, List<String> remarks) {}

    private final SeenJobNames others = new SeenJobNames();
    private boolean found;

    @Option(names = "--job", paramLabel = "JOB", description = "Events of this job only.")
    private @Nullable String job;

    @Option(names = "--follow", description = "Continue with new events until Ctrl+C.")
    private boolean follow;

    @Option(names = "--json", description = "With --check: print a JSON object.")
    private boolean json;

    @ArgGroup(exclusive = false, heading = "With --check:%n")
    private @Nullable CheckOptions check;

    private static final class CheckOptions {
        @Option(
                names = "--check",
                required = true,
                description = "Print violated guarantees, such as a second end or a missing step.")
        private boolean asked;

        @Option(names = "--complete", description = "A job that has not ended is a violation.")
        private boolean complete;

        @Option(
                names = "--checkpoints",
                paramLabel = "URI",
                description = "Checkpoint store of the workers, to compare the attempts of unfinished jobs with.")
        private @Nullable URI checkpoints;

        @Option(
                names = "--overlap",
                paramLabel = "SEC",
                defaultValue = "20",
                description =
                        "Seconds for which an attempt may publish after the claim of the next (default: ${DEFAULT-VALUE}).")
        private int overlapSeconds;
    }

    /// Ends without an error if the output is closed, as in `events
    ///  head`.
    @Override
    public Integer call() {
        if (check != null) {
            return check(check);
        }
        if (follow) { // a missing topic cannot be followed
            kafka.cluster().reach(() -> {
                TopicAdmin.createMissing(kafka.brokers(), kafka.prefix(), Topic.EVENTS, kafka.timeout());
                return true;
            });
        }
        try (EventLog log = EventLog.open(kafka.cluster(), Topic.EVENTS)) {
            log.readToEnd(this::print);
            if (terminal.out().checkError()) {
                return ExitCodes.OK;
            }
            if (job != null && !found) {
                sayNoneOf(job);
            }
            if (follow) {
                log.follow(this::print, () -> !terminal.out().checkError());
            }
        } catch (NoReaderException _) {
            return ExitCodes.OK;
        }
        return job == null || found ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private int check(CheckOptions asked) {
        if (follow || asked.overlapSeconds < 0) {
            throw wrong(
                    follow
                            ? "--check reads the records that exist; leave --follow out"
                            : "--overlap is %d; allowed is 0 or more seconds".formatted(asked.overlapSeconds));
        }
        HistoryChecker checker = new HistoryChecker(Duration.ofSeconds(asked.overlapSeconds), asked.complete);
        JobRecordReader reader = new JobRecordReader(terminal.err()::println);
        Optional<OwnershipScan> ownership = ownership();
        try (EventLog log = EventLog.open(kafka.cluster(), Topic.JOB_TOPICS)) {
            Consumer<TopicRecord> take = entry -> reader.read(entry).ifPresent(jobRecord -> {
                if (job == null || job.equals(jobRecord.job())) {
                    checker.take(jobRecord);
                    if (jobRecord instanceof JobRecord.Requested
                            && ownership.isPresent()
                            && ownership.get().isQueued(entry)) {
                        checker.findable(jobRecord.job());
                    }
                } else {
                    others.add(jobRecord.job());
                }
            });
            log.readToEnd(take);
            if (asked.checkpoints != null) {
                takeAttempts(CheckpointStore.openToRead(asked.checkpoints), checker);
            }
            if (ownership.isPresent()) {
                lookForLost(ownership.get(), checker, () -> log.readToEnd(take));
            }
        }
        if (job != null && checker.jobs() == 0) {
            sayNoneOf(job);
            return ExitCodes.FAILED;
        }
        HistoryChecker.Report report = checker.report();
        if (json) {
            print(checker.jobs(), report);
            return report.wrong().isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
        }
        report.remarks().forEach(remark -> terminal.err().println(Printable.text(remark, MAX_TEXT)));
        report.wrong().forEach(sentence -> terminal.out().println(Printable.text(sentence, MAX_TEXT)));
        terminal.out()
                .printf(
                        "checked %d %s: %s%n",
                        checker.jobs(),
                        checker.jobs() == 1 ? "job" : "jobs",
                        report.wrong().isEmpty()
                                ? "nothing is wrong"
                                : report.wrong().size() + " wrong");
        terminal.out().flush();
        return report.wrong().isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
    }

    /// A job with a deleted command is known only by the name given.
    private void takeAttempts(CheckpointStore store, HistoryChecker checker) {
        Set<String> open = new TreeSet<>(checker.open());
        if (job != null && checker.jobs() == 0) {
            open.add(job);
        }
        open.forEach(one -> {
            JobChain chain = new JobFolder(store, one).chain();
            if (chain.end().isEmpty()) {
                checker.stored(one, chain.last() == 0 ? 0 : chain.attempt());
            }
        });
    }

    /// Empty if this user may not read the share groups.
    private Optional<OwnershipScan> ownership() {
        try {
            return Optional.of(OwnershipScan.open(kafka.cluster()));
        } catch (KafkaUnreachableException e) {
            if (!(e.getCause() instanceof AuthorizationException)) {
                throw e;
            }
            sayNotLookedFor(e);
            return Optional.empty();
        }
    }

    /// Records are read again after the ownership, because a job that ended in between is no longer owned.
    private void lookForLost(OwnershipScan ownership, HistoryChecker checker, Runnable readOn) {
        try {
            ownership.owned().forEach(checker::findable);
            readOn.run();
            ownership.owned().forEach(checker::findable);
            checker.lostAreKnown();
        } catch (KafkaUnreachableException e) {
            if (!(e.getCause() instanceof AuthorizationException)) {
                throw e;
            }
            sayNotLookedFor(e);
        }
    }

    private void sayNotLookedFor(KafkaUnreachableException e) {
        terminal.err()
                .println(Printable.text(
                        "lost jobs are not looked for, which takes Read on the topic ownership and Describe on the groups of the commands: "
                                + e.getMessage(),
                        MAX_TEXT));
    }

    private void print(int jobs, HistoryChecker.Report report) {
        terminal.printJson(new Checked(jobs, report.wrong(), report.remarks()));
        terminal.out().flush();
    }

    private void sayNoneOf(String name) {
        String similar = String.join(", ", others.similarTo(name));
        terminal.err()
                .println(Printable.text(
                        "there are no events of job %s%s%s; ./trainyard jobs lists all jobs"
                                .formatted(
                                        name,
                                        follow ? " yet" : "",
                                        similar.isEmpty() ? "" : ", but there are of " + similar),
                        MAX_TEXT));
    }

    private void print(TopicRecord entry) {
        if (job != null && !job.equals(entry.job())) {
            others.add(entry.job());
            return;
        }
        if (!isOneLineOfJson(entry.body())) {
            terminal.err().println("skipped the record in %s: it is not one line of JSON".formatted(entry.place()));
            return;
        }
        found = true;
        PrintStream out = terminal.out();
        out.write(entry.body(), 0, entry.body().length);
        out.write('\n');
        if (out.checkError()) {
            throw new NoReaderException();
        }
    }

    private static boolean isOneLineOfJson(byte[] json) {
        for (byte b : json) {
            if (b == '\n' || b == '\r') {
                return false;
            }
        }
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            if (parser.currentToken() == null || !parser.currentToken().isStructStart()) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException _) {
            return false;
        }
    }

    private static final class NoReaderException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
