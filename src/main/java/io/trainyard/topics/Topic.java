package io.trainyard.topics;

import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.TopicConfig;

/// The topics of a fleet, without their common prefix. The key of every record is the job's id, or on
/// [#WORKERS] the worker's.
public enum Topic {
    COMMANDS_HIGH("commands.high", commands()),
    COMMANDS_NORMAL("commands.normal", commands()),
    COMMANDS_LOW("commands.low", commands()),
    CPU_COMMANDS_HIGH("commands.cpu.high", commands()),
    CPU_COMMANDS_NORMAL("commands.cpu.normal", commands()),
    CPU_COMMANDS_LOW("commands.cpu.low", commands()),
    CUDA_COMMANDS_HIGH("commands.cuda.high", commands()),
    CUDA_COMMANDS_NORMAL("commands.cuda.normal", commands()),
    CUDA_COMMANDS_LOW("commands.cuda.low", commands()),
    CONTROL("control", compacted()),
    STEPS("steps", retained(Duration.ofDays(2))),
    ACCURACY("accuracy", retained(Duration.ofDays(30))),
    CHECKPOINTS("checkpoints", compacted()),
    JOBS("jobs", large(compacted())),
    WORKERS("workers", compacted()),
    DEAD_LETTER("dead-letter", retained(Duration.ofDays(30)));

    /// Where commands are; [Priority] says which is for what.
    public static final List<Topic> COMMANDS = List.of(
            COMMANDS_HIGH,
            CPU_COMMANDS_HIGH,
            CUDA_COMMANDS_HIGH,
            COMMANDS_NORMAL,
            CPU_COMMANDS_NORMAL,
            CUDA_COMMANDS_NORMAL,
            COMMANDS_LOW,
            CPU_COMMANDS_LOW,
            CUDA_COMMANDS_LOW);

    /// The largest record that commands and jobs may have, in bytes: the longest command, and as much again, because
    /// the event that a job has started carries its command and the table of its parameters.
    public static final int MAX_RECORD_BYTES = 2 * JobJson.MAX_BYTES;

    /// The default of `trainyard.topics.prefix`.
    public static final String DEFAULT_PREFIX = "trainyard.";

    private final String suffix;
    private final Map<String, String> settings;

    Topic(String suffix, Map<String, String> settings) {
        this.suffix = suffix;
        this.settings = settings;
    }

    /// The topic's full name.
    public String name(String prefix) {
        return prefix + suffix;
    }

    /// The share group that claims a topic's commands. One for each topic: see the claim loop.
    public String claimGroup(String prefix) {
        return name(prefix) + ".workers";
    }

    /// How many partitions a topic is created with; empty leaves it to the brokers. Commands have one: a share group
    /// divides partitions among its members, and a command must never wait for a member that is busy.
    Optional<Integer> partitions() {
        return COMMANDS.contains(this) ? Optional.of(1) : Optional.empty();
    }

    /// Settings a topic is created with, as Kafka names them.
    Map<String, String> settings() {
        return settings;
    }

    /// The topic an event belongs to.
    public static Topic of(TrainingEvent event) {
        return switch (event) {
            case TrainingEvent.StepLosses _ -> STEPS;
            case TrainingEvent.EpochTested _ -> ACCURACY;
            case TrainingEvent.CheckpointSaved _ -> CHECKPOINTS;
            case TrainingEvent.Claimed _,
                    TrainingEvent.Started _,
                    TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Released _ -> JOBS;
        };
    }

    private static Map<String, String> commands() {
        return large(retained(Duration.ofDays(7)));
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

    private static Map<String, String> compacted() {
        return Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
    }
}
