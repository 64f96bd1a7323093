package io.trainyard.cli;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.cli.watch.JobRecordReader;
import io.trainyard.cli.watch.JobWatch;
import io.trainyard.event.JobState;
import io.trainyard.event.JobStates;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Priority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/// `submit`: checks all jobs before it sends the first.
@Command(
        name = "submit",
        description = {
            "Publishes jobs for the workers and prints their ids.",
            "Standard error has the place, reason and expected start of waiting jobs."
        },
        exitCodeList = {
            ExitCodes.JOBS_OK_HELP,
            ExitCodes.FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {
            "  ./trainyard submit nightly.yaml more.json --watch",
            "  echo '{network: fashion, dataset: shapes28, epochs: 5,",
            "         optimizer: {type: adam}}' | ./trainyard submit -"
        })
public final class SubmitCommand extends FleetCommand {
    private static final System.Logger LOG = System.getLogger(SubmitCommand.class.getName());
    private static final Path TRAIN_STORE = Path.of("checkpoints");

    /// The maximum number of jobs that are counted for quotas.
    private static final int MAX_JOBS = 1_000_000;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "JSON or YAML with one or several jobs; -: standard input. A job without an id gets one.")
    private List<String> files = List.of();

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    @Option(
            names = "--priority",
            paramLabel = "P",
            defaultValue = "normal",
            converter = PriorityConverter.class,
            description = "high, normal or low (default: ${DEFAULT-VALUE}).")
    private Priority priority = Priority.NORMAL;

    @Option(
            names = "--dry-run",
            description = "Print the jobs, or a sweep's trials, with all defaults, without publishing.")
    private boolean dryRun;

    @Option(names = "--watch", description = "Show the progress of the jobs until each has ended.")
    private boolean watch;

    @Option(
            names = "--json",
            description = "Print id, state and forecast of each job as JSON; with --watch id, then events.")
    private boolean json;

    @Override
    public Integer call() {
        List<JobSpec> jobs = JobFiles.read(files, terminal.in());
        if (dryRun) {
            jobs.forEach(job -> Trials.forEach(job, (trial, _) -> terminal.out().println(JobJson.write(trial))));
            terminal.out().flush();
            return ExitCodes.OK;
        }
        requireQueueCapacity(jobs, projects.rules());
        sayWhatIsStored(jobs);
        List<String> sent = new ArrayList<>();
        try {
            new CommandSender(kafka.cluster(), CloudEvents.CLI).send(jobs, priority, job -> {
                sent.add(job.id());
                if (!json || watch) {
                    terminal.out().println(json ? idAsJson(job.id()) : job.id());
                }
            });
        } catch (KafkaUnreachableException e) {
            if (!sent.isEmpty()) {
                if (json && !watch) {
                    sent.forEach(id -> terminal.out().println(idAsJson(id)));
                }
                terminal.err()
                        .printf("only the first %d of %d jobs are known to be submitted%n", sent.size(), jobs.size());
            }
            throw e;
        }
        terminal.out().flush();
        terminal.err()
                .printf("submitted %d %s to %s%n", jobs.size(), jobs.size() == 1 ? "job" : "jobs", kafka.address());
        if (!watch) {
            printWhen(sent);
        }
        return !watch || JobWatch.run(kafka.cluster(), terminal, sent, jobs, json, JobWatch.goOn(sent))
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }

    /// Workers of this machine usually share the store of `train`, in which an id may have ended already.
    private void sayWhatIsStored(List<JobSpec> jobs) {
        try {
            if (Files.isDirectory(TRAIN_STORE)) {
                CheckpointStore store = CheckpointStore.openToRead(TRAIN_STORE.toUri());
                jobs.forEach(job -> new JobFolder(store, job.id())
                        .end()
                        .ifPresent(end -> terminal.err()
                                .printf(
                                        "%s was there already, %s, in the folder %s; workers that use it do not train it again; give the new one another id%n",
                                        job.id(), end, TRAIN_STORE)));
            }
        } catch (CheckpointException e) { // the workers report it
            LOG.log(System.Logger.Level.DEBUG, "the folder {0} cannot be read: {1}", TRAIN_STORE, e.getMessage());
        }
    }

    private static String idAsJson(String id) {
        return "{\"job\":\"%s\"}".formatted(id);
    }

    private void printWhen(List<String> sent) {
        SubmitForecast answer = SubmitForecast.of(kafka.cluster(), projects.rules(), terminal, sent);
        if (json) {
            answer.printJson();
            terminal.out().flush();
        } else {
            answer.printText();
        }
    }

    /// Checks quotas. Reads the topics only if a project of the jobs has a quota of waiting jobs.
    private void requireQueueCapacity(List<JobSpec> jobs, ProjectRules rules) {
        Map<String, Long> more = jobs.stream()
                .collect(Collectors.groupingBy(JobSpec::projectName, Collectors.summingLong(Trials::count)));
        more.keySet().removeIf(project -> rules.of(project).waiting() == null);
        if (more.isEmpty()) {
            return;
        }
        JobStates book = JobRecordReader.readAll(kafka.cluster(), MAX_JOBS, terminal.err()::println);
        more.forEach((project, count) -> {
            long waiting =
                    book.jobs().stream().filter(job -> waitsFor(job, project)).count();
            String refusal = rules.refusal(project, waiting, count);
            if (refusal != null) {
                throw new InvalidJobException(refusal);
            }
        });
    }

    private static boolean waitsFor(JobState job, String project) {
        JobSpec spec = job.spec();
        return job.status() == JobState.Status.QUEUED
                && spec != null
                && spec.projectName().equals(project);
    }

    static final class PriorityConverter implements ITypeConverter<Priority> {
        @Override
        public Priority convert(String value) {
            return switch (value) {
                case "high" -> Priority.HIGH;
                case "normal" -> Priority.NORMAL;
                case "low" -> Priority.LOW;
                default -> throw new TypeConversionException("allowed is high, normal or low");
            };
        }
    }
}
