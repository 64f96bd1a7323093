package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.event.EventJson;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.Ownership.State;
import io.trainyard.ownership.OwnershipJson;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimTraining.Habit;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/// Mistakes to inject into simulated workers, to check that a seed finds each of them. The number is that of
/// the scenario in which an earlier protocol failed; 0 marks a mistake that only this protocol permits.
enum SimMistake implements SimSeams {
    LOCKED_WHILE_TRAINING(1, "a command stays locked for as long as its job trains") {
        @Override
        public SimShareGroup.Limits limits(SimShareGroup.Limits real) {
            return new SimShareGroup.Limits(Duration.ofDays(1), real.deliveries(), real.window());
        }

        @Override
        public CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
            return new SimQueueSeam(real) {
                private boolean owing;
                private String place = "";

                @Override
                public Optional<ConsumerRecord<byte[], byte[]>> next() {
                    if (owing) {
                        owing = false;
                        var _ = super.accept();
                    }
                    var next = super.next();
                    next.ifPresent(command -> place = CommandRecord.place(command));
                    return next;
                }

                @Override
                public Optional<ConsumerRecord<byte[], byte[]>> prefetched() {
                    return Optional.empty();
                }

                @Override
                public boolean accept() {
                    owing = true;
                    kafka.answered(process.name(), place, true); // claims that the record is still the member's
                    return true;
                }
            };
        }
    },
    EVERY_COPY_STARTS_AN_ATTEMPT(2, "every copy of a command starts another attempt") {
        @Override
        public CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
            return new SimQueueSeam(real) {
                @Override
                public Optional<ConsumerRecord<byte[], byte[]>> next() {
                    return super.next().map(command -> asking(command, last(store, key(command)) + 1));
                }
            };
        }
    },
    IGNORES_STORED_END(3, "a claim does not check whether the job has ended", storing(real -> new SimStoreSeam(real) {
        @Override
        public Optional<InputStream> open(String key) {
            Optional<byte[]> object = isOn("claims") && isLink(key) ? content(super.open(key)) : Optional.empty();
            return object.isPresent() && isEnd(object.get()) ? Optional.empty() : super.open(key);
        }
    })),
    IGNORES_STORED_SPEC(
            3, "a claim does not compare the command with the stored job", storing(real -> new SimStoreSeam(real) {
                @Override
                public Optional<InputStream> open(String key) {
                    return isOn("claims") && key.endsWith("/spec.json") ? Optional.empty() : super.open(key);
                }

                @Override
                public boolean createIfAbsent(String key, byte[] content) {
                    return super.createIfAbsent(key, content) || key.endsWith("/spec.json");
                }
            })),
    REFUSAL_FAILS_THE_JOB(3, "a worker's missing dataset fails the job", Habit.REFUSAL_FAILS),
    RESUMES_WITHOUT_REPUBLISHING(
            4, "a resumed attempt does not republish the events in the checkpoint", Habit.RESUMES_WITHOUT_REPUBLISHING),
    CHECKPOINTS_WITHOUT_EVENTS(4, "a checkpoint has no unacknowledged events", Habit.CHECKPOINTS_WITHOUT_EVENTS),
    REPUBLISHES_ENDS_WITHOUT_EVENTS(
            4,
            "an end is republished without the events in the checkpoint",
            storing(real -> hiding(
                    real,
                    key -> key.contains("/checkpoints/")
                            && key.endsWith(".json")
                            && (isOn("claims") || isOn("ownership-monitor"))))),
    RESUMES_FROM_LATE_CHECKPOINT(
            5, "a job resumes from a late checkpoint of a superseded worker", storing(real -> new SimStoreSeam(real) {
                @Override
                public List<String> list(String folder) {
                    return super.list(folder).stream()
                            .filter(key -> !key.contains(".from-"))
                            .toList();
                }
            })),
    IGNORES_LATER_ATTEMPTS(
            6, "a superseded attempt continues to publish and save", storing(real -> new SimStoreSeam(real) {
                @Override
                public boolean has(String key) {
                    return !(isLink(key) && isJobs()) && super.has(key);
                }
            })),
    COMPACTION_BY_JOB(
            7,
            "compaction keeps one record of a job",
            sending((real, process) -> (topic, key, value, headers) -> real.send(
                    topic,
                    topic.equals(Topic.JOBS.name("")) && key != null ? bytes(RecordKey.job(text(key))) : key,
                    value,
                    headers))),
    COMMANDS_EXPIRE(8, "commands expire") {
        @Override
        public void happen(SimKafka kafka) {
            Topic.COMMANDS.forEach(
                    topic -> kafka.topic(topic).trim(kafka.topic(topic).end()));
        }
    },
    FAILURE_IS_NOT_STORED(9, "a job's failure is published, and not stored", storing(real -> new SimStoreSeam(real) {
        @Override
        public boolean createIfAbsent(String key, byte[] content) {
            return (isLink(key) && text(content).contains("\"failed\"")) || super.createIfAbsent(key, content);
        }
    })),
    END_IS_OVERWRITTEN(9, "a stored end is overwritten", storing(real -> new SimStoreSeam(real) {
        @Override
        public boolean createIfAbsent(String key, byte[] content) {
            if (isLink(key) && isEnd(content)) {
                CheckpointRef _ = write(key, out -> out.write(content));
                return true;
            }
            return super.createIfAbsent(key, content);
        }
    })),
    NO_HANG_LIMIT(10, "a step that hangs is waited for", Habit.NO_MONITOR),
    STORES_HAVE_NO_IDENTITY(12, "stores have no identity", storing(real -> new SimStoreSeam(real) {
        @Override
        public String identity() {
            return "00000000-0000-0000-0000-000000000000";
        }
    })),
    NO_OWNERSHIP(
            0,
            "a claim writes no ownership",
            sending((real, process) -> dropping(
                    real,
                    (topic, ownership) -> ownership.state() == State.RUNNING
                            && ownership.worker().equals(process.name())
                            && isOn("claims")))),
    MONITOR_DOES_NOT_PUBLISH(
            0,
            "an ownership monitor writes ownership, and does not publish the command",
            sending((real, process) ->
                    (topic, key, value, headers) -> topic.startsWith("commands.") && isOn("ownership-monitor")
                            ? CompletableFuture.completedFuture(null)
                            : real.send(topic, key, value, headers))),
    ACCEPT_IS_NOT_AWAITED(0, "a job trains though its ACCEPT was not answered") {
        @Override
        public CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
            return new SimQueueSeam(real) {
                @Override
                public boolean accept() {
                    var _ = super.accept();
                    return true;
                }
            };
        }
    },
    COUNTS_HEARTBEATS_OF_ALL(0, "an ownership monitor counts the heartbeats of all workers") {
        @Override
        public FleetLog log(FleetLog real, SimProcess process) {
            return new SimLogSeam(real) {
                @Override
                public List<ConsumerRecord<String, byte[]>> poll(Duration time) {
                    List<ConsumerRecord<String, byte[]>> more = new ArrayList<>();
                    for (var entry : super.poll(time)) {
                        more.add(entry);
                        if (entry.topic().equals(Topic.WORKERS.name(""))
                                && !process.name().equals(entry.key())) {
                            more.add(beat(entry, process.name()));
                        }
                    }
                    return more;
                }
            };
        }
    },
    OWNERSHIP_ENDS_BEFORE_OUTCOME(
            0,
            "ownership ends before the outcome is published",
            sending((real, process) -> (topic, key, value, headers) -> {
                String name = key == null ? "" : text(key);
                boolean isEnd = topic.equals(Topic.JOBS.name(""))
                        && (name.endsWith("/finished") || name.endsWith("/failed") || name.endsWith("/cancelled"));
                return isEnd
                        ? real.send(Topic.OWNERSHIP.name(""), bytes(RecordKey.job(name)), null, headers)
                                .thenCompose(_ -> real.send(topic, key, value, headers))
                        : real.send(topic, key, value, headers);
            })),
    VOID_COPY_REPAIRS_NOTHING(
            0,
            "a void copy does not repair ownership",
            sending((real, process) -> dropping(
                    real,
                    (topic, ownership) -> ownership.state() == State.RUNNING
                            && !ownership.worker().equals(process.name())))),
    PUBLISHES_BEFORE_STORING(0, "an end is published before it is stored", Habit.PUBLISHES_BEFORE_STORING),
    PAUSE_WITHOUT_OWNERSHIP(
            0,
            "a paused job has no ownership",
            sending((real, process) -> dropping(real, (topic, ownership) -> ownership.state() == State.PAUSED))),
    HEARTBEAT_WITH_FIRST_JOB_ONLY(
            0,
            "a heartbeat has only the first of a worker's jobs",
            sending((real, process) -> (topic, key, value, headers) -> real.send(
                    topic,
                    key,
                    value == null || !topic.equals(Topic.WORKERS.name(""))
                            ? value
                            : bytes(text(value).replaceAll("(\"jobs\":\\[\\{[^}]*}).*?]", "$1]")),
                    headers))),
    RELEASES_ONE_JOB_ONLY(0, "a stopping worker releases only one of its jobs", Habit.RELEASES_ONE_ONLY),
    CLAIMS_ALTHOUGH_BROKERS_REFUSE(0, "a worker claims although the brokers refuse its records") {
        @Override
        public ClaimGate gate(ClaimGate real) {
            ClaimGate open = new ClaimGate(new ClaimGate.Rules(Duration.ofDays(1000), Duration.ofDays(1000)));
            open.acknowledged(0);
            return open;
        }

        @Override
        public Outbox outbox(Outbox real, SimProcess process) {
            return (topic, key, value, headers) -> key != null && text(key).endsWith("/probe")
                    ? CompletableFuture.completedFuture(null)
                    : real.send(topic, key, value, headers);
        }
    },
    DELETES_WITHOUT_FENCE(0, "old checkpoints are deleted without the fence", storing(real -> new SimStoreSeam(real) {
        private final ThreadLocal<Integer> attempt = new ThreadLocal<>();

        @Override
        public CheckpointRef write(String key, Content content) {
            attempt.set(Integer.valueOf(key.replaceAll(".*-([0-9]+)\\..*", "$1")));
            return super.write(key, content);
        }

        // Hides the entries of later attempts.
        @Override
        public List<String> list(String folder) {
            Integer own = attempt.get();
            return super.list(folder).stream()
                    .filter(key -> own == null || !folder.endsWith("/attempts") || number(key) <= own)
                    .toList();
        }

        @Override
        public Optional<InputStream> open(String key) {
            Integer own = attempt.get();
            return own != null && isLink(key) && number(key) > own ? Optional.empty() : super.open(key);
        }

        private static int number(String key) {
            return Integer.parseInt(key.replaceAll(".*/([0-9]+).*", "$1"));
        }
    })),
    END_BY_SUPERSEDED_ATTEMPT(
            0, "a superseded attempt decides how the job ends", storing(real -> new SimStoreSeam(real) {
                @Override
                public boolean createIfAbsent(String key, byte[] content) {
                    if (!isLink(key) || !isEnd(content)) {
                        return super.createIfAbsent(key, content);
                    }
                    String folder = key.substring(0, key.lastIndexOf('/') + 1);
                    int number = Integer.parseInt(key.substring(folder.length()));
                    while (!super.createIfAbsent(folder + number, content)) {
                        if (isEnd(content(super.open(folder + number)).orElseThrow())) {
                            return false;
                        }
                        number++;
                    }
                    return true;
                }
            })),
    READS_ALL_NOTES_PER_CHECKPOINT(
            0, "a claim reads the notes of all attempts for each checkpoint", storing(real -> new SimStoreSeam(real) {
                @Override
                public List<String> list(String folder) {
                    List<String> found = super.list(folder);
                    if (folder.endsWith("/attempts")) {
                        super.list(folder.replace("/attempts", "/checkpoints")).forEach(_ -> found.forEach(super::has));
                    }
                    return found;
                }
            })),
    FORGETS_UNWATCHED_JOBS(0, "jobs beyond the monitor's capacity are never read again") {
        private final Map<SimProcess, Long> read = new WeakHashMap<>();

        @Override
        public FleetLog log(FleetLog real, SimProcess process) {
            long known = read.getOrDefault(process, -1L);
            return new SimLogSeam(real) {
                @Override
                public List<ConsumerRecord<String, byte[]>> poll(Duration time) {
                    var entries = super.poll(time).stream()
                            .filter(entry -> !entry.topic().equals(Topic.OWNERSHIP.name("")) || entry.offset() > known)
                            .toList();
                    entries.stream()
                            .filter(entry -> entry.topic().equals(Topic.OWNERSHIP.name("")))
                            .forEach(entry -> read.merge(process, entry.offset(), Math::max));
                    return entries;
                }
            };
        }
    },
    LONG_REQUEST_TIMEOUT(0, "a producer waits 15 s for an answer") {
        @Override
        public Duration requestTimeout(Duration real) {
            return Duration.ofSeconds(15);
        }
    },
    STORE_ERRORS_COUNT_AS_ABSENCE(0, "an error of the store counts as absence", storing(real -> new SimStoreSeam(real) {
        @Override
        public boolean has(String key) {
            try {
                return super.has(key);
            } catch (StoreException _) {
                return false;
            }
        }

        @Override
        public Optional<InputStream> open(String key) {
            try {
                return super.open(key);
            } catch (StoreException _) {
                return Optional.empty();
            }
        }

        @Override
        public List<String> list(String folder) {
            try {
                return super.list(folder);
            } catch (StoreException _) {
                return List.of();
            }
        }
    })),
    NO_REPUBLISHING_AT_LAST_DELIVERY(0, "a command is not republished at its last delivery") {
        @Override
        public int deliveryLimit(int real) {
            return Integer.MAX_VALUE;
        }

        @Override
        public SimShareGroup.Limits limits(SimShareGroup.Limits real) {
            return FEW_DELIVERIES.limits(real);
        }

        @Override
        public SimSeams control() {
            return FEW_DELIVERIES;
        }
    };

    /// Few deliveries, so that a world of some minutes reaches the limit.
    private static final SimSeams FEW_DELIVERIES = new SimSeams() {
        @Override
        public SimShareGroup.Limits limits(SimShareGroup.Limits real) {
            return new SimShareGroup.Limits(real.lock(), 2, real.window());
        }
    };

    private final int scenario;
    private final String what;
    private final Seam seam;
    private final Set<Habit> habits;

    /// The most frequent places of mistakes.
    private record Seam(UnaryOperator<CheckpointStore> store, BiFunction<Outbox, SimProcess, Outbox> outbox) {}

    SimMistake(int scenario, String what, Seam seam) {
        this(scenario, what, seam, Set.of());
    }

    SimMistake(int scenario, String what, Habit... habits) {
        this(scenario, what, new Seam(real -> real, (real, _) -> real), Set.of(habits));
    }

    SimMistake(int scenario, String what, Seam seam, Set<Habit> habits) {
        this.scenario = scenario;
        this.what = what;
        this.seam = seam;
        this.habits = habits;
    }

    private static Seam storing(UnaryOperator<CheckpointStore> store) {
        return new Seam(store, (real, _) -> real);
    }

    private static Seam sending(BiFunction<Outbox, SimProcess, Outbox> outbox) {
        return new Seam(real -> real, outbox);
    }

    @Override
    public CheckpointStore store(CheckpointStore real) {
        return seam.store().apply(real);
    }

    @Override
    public Outbox outbox(Outbox real, SimProcess process) {
        return seam.outbox().apply(real, process);
    }

    /// The number of the reproduced scenario; 0 if there is none.
    int scenario() {
        return scenario;
    }

    String what() {
        return what;
    }

    @Override
    public Set<Habit> habits() {
        return habits;
    }

    private static int last(SimStore store, String job) {
        var chain = store.chain(job);
        return chain.isEmpty() ? 0 : chain.lastKey();
    }

    private static boolean isLink(String key) {
        return key.matches(".*/attempts/[0-9]+");
    }

    private static boolean isEnd(byte[] content) {
        try {
            return ChainLink.read(content) instanceof ChainLink.End;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<byte[]> content(Optional<InputStream> object) {
        if (object.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = object.get()) {
            return Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOn(String thread) {
        return Thread.currentThread().getName().equals(thread);
    }

    private static boolean isJobs() {
        return Thread.currentThread().getName().startsWith("job-");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String key(ConsumerRecord<byte[], byte[]> command) {
        return command.key() == null ? "" : text(command.key());
    }

    /// Selects ownership records to drop.
    @FunctionalInterface
    private interface Sent {
        boolean is(String topic, Ownership ownership);
    }

    /// Reports ownership records as sent without sending them.
    private static Outbox dropping(Outbox real, Sent which) {
        return (topic, key, value, headers) -> {
            Ownership ownership = topic.equals(Topic.OWNERSHIP.name("")) && value != null ? ownership(value) : null;
            return ownership != null && which.is(topic, ownership)
                    ? CompletableFuture.completedFuture(null)
                    : real.send(topic, key, value, headers);
        };
    }

    private static Ownership ownership(byte[] json) {
        try {
            return OwnershipJson.read(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CheckpointStore hiding(CheckpointStore real, Predicate<String> which) {
        return new SimStoreSeam(real) {
            @Override
            public Optional<InputStream> open(String key) {
                return which.test(key) ? Optional.empty() : super.open(key);
            }
        };
    }

    private static ConsumerRecord<byte[], byte[]> asking(ConsumerRecord<byte[], byte[]> command, int attempt) {
        Headers headers = new RecordHeaders(command.headers());
        headers.remove(CommandHeaders.ATTEMPT);
        headers.add(CommandHeaders.ATTEMPT, bytes(Integer.toString(attempt)));
        return like(command, command.key(), command.value(), headers);
    }

    /// Replaces another worker's heartbeat with the heartbeat of a worker without jobs.
    private static ConsumerRecord<String, byte[]> beat(ConsumerRecord<String, byte[]> other, String worker) {
        WorkerStatus status =
                WorkerStatusBuilder.of(worker, "cpu").memoryBytes(0).build();
        return like(other, worker, EventJson.write(status), other.headers());
    }

    private static <K> ConsumerRecord<K, byte[]> like(
            ConsumerRecord<?, byte[]> record, K key, byte[] value, Headers headers) {
        return new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                ConsumerRecord.NULL_SIZE,
                value.length,
                key,
                value,
                headers,
                Optional.empty(),
                record.deliveryCount());
    }
}
