package io.trainyard.topics;

import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.record.TimestampType;

/// The topics of a fleet, without their common prefix. The key of a record begins with the job's id
/// ([RecordKey]); on [#WORKERS] it is the worker's id. Records with equal times are read in the order of these
/// constants: a command before its events, losses before the end of a job.
public enum Topic {
    COMMANDS_HIGH("commands.high", Content.COMMANDS, commands()),
    COMMANDS_NORMAL("commands.normal", Content.COMMANDS, commands()),
    COMMANDS_LOW("commands.low", Content.COMMANDS, commands()),
    CPU_COMMANDS_HIGH("commands.cpu.high", Content.COMMANDS, commands()),
    CPU_COMMANDS_NORMAL("commands.cpu.normal", Content.COMMANDS, commands()),
    CPU_COMMANDS_LOW("commands.cpu.low", Content.COMMANDS, commands()),
    CUDA_COMMANDS_HIGH("commands.cuda.high", Content.COMMANDS, commands()),
    CUDA_COMMANDS_NORMAL("commands.cuda.normal", Content.COMMANDS, commands()),
    CUDA_COMMANDS_LOW("commands.cuda.low", Content.COMMANDS, commands()),
    CONTROL("control", Content.OTHER, compacted()),
    OWNERSHIP("ownership", Content.OTHER, timedByBrokers(large(compacted()))),
    STEPS("steps", Content.EVENTS, retained(Duration.ofDays(2))),
    ACCURACY("accuracy", Content.EVENTS, retained(Duration.ofDays(30))),
    METRICS("metrics", Content.OTHER, retained(Duration.ofDays(30))),
    CHECKPOINTS("checkpoints", Content.EVENTS, compacted()),
    JOBS("jobs", Content.EVENTS, large(compacted())),
    WORKERS("workers", Content.OTHER, timedByBrokers(compacted())),
    DEAD_LETTER("dead-letter", Content.DEAD_LETTERS, retained(Duration.ofDays(30)));

    /// The topics with commands; see [Priority].
    public static final List<Topic> COMMANDS = with(EnumSet.of(Content.COMMANDS));

    public static final List<Topic> EVENTS = with(EnumSet.of(Content.EVENTS));

    public static final List<Topic> JOB_TOPICS =
            with(EnumSet.of(Content.COMMANDS, Content.EVENTS, Content.DEAD_LETTERS));

    /// Workers do not use [#METRICS], which any program may write to.
    public static final List<Topic> OF_WORKERS =
            Arrays.stream(values()).filter(topic -> topic != METRICS).toList();

    /// The topics that the dashboard reads. Only workers use [#OWNERSHIP].
    public static final List<Topic> SHOWN =
            Arrays.stream(values()).filter(topic -> topic != OWNERSHIP).toList();

    /// The maximum record size of commands and jobs in bytes: twice the longest command, because the start
    /// event contains the command and the table of parameters.
    public static final int MAX_RECORD_BYTES = 2 * JobJson.MAX_BYTES;

    private static final Set<String> ALWAYS_REQUIRED = Set.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG);

    private static final int SEGMENT_BYTES = 16 << 20;

    /// The default of `trainyard.topics.prefix`.
    public static final String DEFAULT_PREFIX = "trainyard.";

    private final String suffix;
    private final Content content;
    private final Map<String, String> settings;

    public enum Content {
        /// Requests for jobs.
        COMMANDS,
        /// Events of attempts.
        EVENTS,
        /// Rejected commands.
        DEAD_LETTERS,
        /// Records without job history.
        OTHER
    }

    Topic(String suffix, Content content, Map<String, String> settings) {
        this.suffix = suffix;
        this.content = content;
        this.settings = settings;
    }

    public static Map<String, Topic> byName(String prefix) {
        return Arrays.stream(values()).collect(Collectors.toMap(topic -> topic.name(prefix), topic -> topic));
    }

    private static List<Topic> with(Set<Content> contents) {
        return Arrays.stream(values())
                .filter(topic -> contents.contains(topic.content))
                .toList();
    }

    public Content content() {
        return content;
    }

    public String name(String prefix) {
        return prefix + suffix;
    }

    /// The share group that claims a topic's commands. Each topic has its own group; the claim loop explains
    /// why.
    public String claimGroup(String prefix) {
        return name(prefix) + ".workers";
    }

    /// The number of partitions of a new topic; empty for the brokers' default. Command topics have one
    /// partition because a share group assigns partitions to members, and a command must not wait for a busy
    /// member. The heartbeat topic has one because the order of heartbeats is the clock of the ownership
    /// monitor.
    Optional<Integer> partitions() {
        return content == Content.COMMANDS || this == WORKERS ? Optional.of(1) : Optional.empty();
    }

    Map<String, String> settings() {
        return settings;
    }

    boolean isCompacted() {
        return TopicConfig.CLEANUP_POLICY_COMPACT.equals(settings.get(TopicConfig.CLEANUP_POLICY_CONFIG));
    }

    public static Topic of(TrainingEvent event) {
        return switch (event) {
            case TrainingEvent.StepLosses _ -> STEPS;
            case TrainingEvent.EpochTested _ -> ACCURACY;
            case TrainingEvent.CheckpointSaved _ -> CHECKPOINTS;
            case TrainingEvent.Claimed _,
                    TrainingEvent.Started _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Released _,
                    TrainingEvent.Paused _,
                    TrainingEvent.Resumed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _ -> JOBS;
        };
    }

    private static Map<String, String> commands() {
        return large(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG,
                "-1",
                TopicConfig.RETENTION_BYTES_CONFIG,
                "-1"));
    }

    private static Map<String, String> large(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(MAX_RECORD_BYTES));
        return Map.copyOf(all);
    }

    private static Map<String, String> retained(Duration time) {
        return Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG,
                Long.toString(time.toMillis()));
    }

    /// Each worker reads the uncompacted part before its first claim, so it is kept short: the newest segment
    /// of each partition and a tenth of the older segments.
    private static Map<String, String> compacted() {
        return Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_COMPACT,
                TopicConfig.SEGMENT_BYTES_CONFIG,
                Integer.toString(SEGMENT_BYTES),
                TopicConfig.SEGMENT_MS_CONFIG,
                Long.toString(Duration.ofHours(1).toMillis()),
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
                "0.1");
    }

    /// The brokers set the timestamps, so no record is refused because of its writer's clock, and a worker can
    /// measure the offset of its own clock. Events keep their writers' timestamps because readers merge them by
    /// these.
    private static Map<String, String> timedByBrokers(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, TimestampType.LOG_APPEND_TIME.name);
        return Map.copyOf(all);
    }

    /// The settings that an existing topic must have. Other settings may be the operator's choice.
    Map<String, String> required() {
        Map<String, String> required = new HashMap<>(settings);
        required.keySet().retainAll(ALWAYS_REQUIRED);
        if (content == Content.COMMANDS) {
            required.put(TopicConfig.RETENTION_MS_CONFIG, "-1");
            required.put(TopicConfig.RETENTION_BYTES_CONFIG, "-1");
        }
        return required;
    }
}
