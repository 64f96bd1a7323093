package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.broker.SecureBroker;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.Control;
import io.trainyard.event.MetricValues;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.ownership.DeferredByVersion;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobLimits;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.KafkaRole.Grant;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.trace.Tracing;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.errors.AuthorizationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Each role's Kafka grants are sufficient and necessary: for each grant, a user with all other grants of the
/// role must fail. These users run in parallel, because they mostly wait.
@Slow
class KafkaRolesTest {
    private static final String PREFIX = SecureBroker.PREFIX;
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final Duration OFTEN = Duration.ofMillis(10);
    private static final int AT_ONCE = 8;

    @TempDir
    private static Path folder;

    private static SecureBroker kafka;
    private static CheckpointStore store;
    private static ExecutorService people;

    @BeforeAll
    static void start() throws Exception {
        kafka = SecureBroker.shared();
        store = CheckpointStore.open(folder.resolve("checkpoints").toUri());
        List<String> users = new ArrayList<>();
        List<AclBinding> acls = new ArrayList<>();
        for (KafkaRole role : KafkaRole.values()) {
            users.add(role.word());
            acls.addAll(SecureBroker.acls(role, PREFIX, role.word()));
            for (int i = 0; i < role.grants().size(); i++) {
                users.add(without(role, i));
                List<AclBinding> others = SecureBroker.acls(role, PREFIX, without(role, i));
                others.remove(i);
                acls.addAll(others);
            }
        }
        kafka.addUsers(users.toArray(String[]::new));
        kafka.allow(acls);
        // A reader without its grant fails only if there is a record.
        try (var producer = kafka.anyDoor().producer(Map.of())) {
            for (Topic topic : Topic.values()) {
                var _ = Patience.get(producer.send(new ProducerRecord<>(topic.name(PREFIX), "job", job("any"))));
            }
        }
        people = Executors.newFixedThreadPool(AT_ONCE);
    }

    @AfterAll
    static void stop() {
        people.shutdownNow();
    }

    /// The user with all grants of a role except one.
    private static String without(KafkaRole role, int grant) {
        return role.word() + "-" + grant;
    }

    @ParameterizedTest
    @EnumSource
    void eachRoleNeedsExactlyItsGrants(KafkaRole role) throws Exception {
        Future<Throwable> all = tried(role, role.word());
        List<Future<Throwable>> refusals = IntStream.range(0, role.grants().size())
                .mapToObj(i -> tried(role, without(role, i)))
                .toList();
        assertThat(Patience.get(all)).as("%s with all", role).isNull();
        for (int i = 0; i < refusals.size(); i++) {
            Throwable refusal = Patience.get(refusals.get(i));
            Grant missing = role.grants().get(i);
            assertThat(refusal).as("%s without %s", role, missing).isNotNull();
            assertThat(Stream.iterate(refusal, cause -> cause != null, Throwable::getCause))
                    .as("%s without %s", role, missing)
                    .anyMatch(AuthorizationException.class::isInstance);
        }
    }

    private static Future<Throwable> tried(KafkaRole role, String user) {
        return people.submit(() ->
                catchThrowable(() -> work(role, user, kafka.as(kafka.scram(user, SecureBroker.PASSWORD)))));
    }

    private static void work(KafkaRole role, String user, Brokers brokers) throws Exception {
        Cluster fleet = new Cluster(brokers, PREFIX, ANSWER);
        switch (role) {
            case WORKER -> workAsWorker(user, brokers);
            case DASHBOARD -> workAsDashboard(fleet);
            case READER ->
                read(
                        fleet,
                        Stream.concat(Topic.JOB_TOPICS.stream(), Stream.of(Topic.WORKERS))
                                .toList());
            case SUBMITTER -> submit(fleet);
            case OPERATOR -> operate(fleet);
            case PUBLISHER -> publishMetrics(fleet);
            case ADMINISTRATOR -> {
                for (Topic topic : List.of(Topic.STEPS, Topic.COMMANDS_LOW)) { // for a new fleet
                    String fresh = PREFIX + System.nanoTime() + ".";
                    TopicAdmin.createMissing(brokers, fresh, List.of(topic), ANSWER);
                }
            }
        }
    }

    /// A worker's use of Kafka, through the classes that make it.
    private static void workAsWorker(String user, Brokers brokers) throws Exception {
        TopicAdmin.createMissing(brokers, PREFIX, ANSWER);
        int deliveries = ShareGroups.configure(brokers, PREFIX, ANSWER);
        try (KafkaFleetLog log = new KafkaFleetLog(brokers, PREFIX, user)) {
            Patience.await("the end of what all read").pollInterval(OFTEN).until(() -> {
                log.poll(Duration.ofMillis(10));
                return log.isCaughtUp();
            });
        }
        try (var producer = brokers.producer(Map.of())) {
            for (Topic topic : Topic.OF_WORKERS) {
                if (topic.content() != Topic.Content.COMMANDS || topic == Topic.CUDA_COMMANDS_LOW) { // forwarded
                    var _ = Patience.get(
                            producer.send(new ProducerRecord<>(topic.name(PREFIX), "job", new byte[] {1})));
                }
            }
        }
        claimAndSweep(user, brokers, deliveries);
    }

    /// One user at a time, so that none waits for a command that another one has. A command must be ready to
    /// sweep: brokers report some acknowledgements late, or only after the next one.
    private static synchronized void claimAndSweep(String user, Brokers brokers, int deliveries) throws Exception {
        CommandRoutes routes = new CommandRoutes(PREFIX, Set.of("cpu"));
        try (ShareQueue queue = new ShareQueue(brokers, user, routes.sources().subList(0, 1), new ClaimPriorities());
                Admin admin = kafka.anyDoor().admin(ANSWER)) {
            Patience.await("a command that may be swept").pollInterval(OFTEN).until(() -> {
                send(Topic.COMMANDS_HIGH);
                Patience.await("a command")
                        .pollInterval(OFTEN)
                        .until(() -> queue.next().isPresent());
                assertThat(queue.accept()).isTrue();
                return isSweepable(admin);
            });
        }
        WorkerRules rules = new WorkerRules(
                user,
                routes,
                1,
                ANSWER,
                ANSWER,
                3,
                5,
                deliveries,
                new DeferredByVersion.Rules(2, 8),
                3,
                ProjectShares.Rules.NONE,
                JobLimits.DEFAULT);
        FleetView view = new FleetView(user, Instant.now());
        EventPublisher nowhere = new EventPublisher((_, _, _, _) -> CompletableFuture.allOf(), PREFIX, user);
        new CommandSweep(
                        brokers,
                        new WorkerContext(
                                rules,
                                new SystemHost(),
                                store,
                                nowhere,
                                view,
                                new Activity(),
                                Tracing.OFF,
                                new ClaimPriorities(),
                                new ClaimGate(ClaimGate.Rules.of(ANSWER, ANSWER))))
                .sweep();
    }

    /// Whether there are records that the group has acknowledged and the sweep has not deleted yet.
    private static boolean isSweepable(Admin admin) {
        Brokers all = kafka.anyDoor();
        String group = Topic.COMMANDS_HIGH.claimGroup(PREFIX);
        var offsets = admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()));
        return TopicAdmin.await(all, offsets.partitionsToOffsetInfo(group), ANSWER).entrySet().stream()
                .anyMatch(entry -> {
                    var earliest = admin.listOffsets(Map.of(entry.getKey(), OffsetSpec.earliest()));
                    long begin = TopicAdmin.await(all, earliest.partitionResult(entry.getKey()), ANSWER)
                            .offset();
                    return entry.getValue() != null && entry.getValue().startOffset() > begin;
                });
    }

    private static void send(Topic topic) throws Exception {
        try (var producer = kafka.anyDoor().producer(Map.of())) {
            var _ = Patience.get(producer.send(new ProducerRecord<>(topic.name(PREFIX), "job", job("any"))));
        }
    }

    private static byte[] job(String id) {
        return Fleet.job(id).getBytes(StandardCharsets.UTF_8);
    }

    /// The dashboard reads through a consumer group, and publishes as the command line does.
    private static void workAsDashboard(Cluster fleet) throws Exception {
        TopicAdmin.createMissing(fleet.brokers(), PREFIX, Topic.SHOWN, ANSWER);
        List<String> names =
                Topic.SHOWN.stream().map(topic -> topic.name(PREFIX)).toList();
        try (Admin watch = fleet.brokers().admin(ANSWER)) {
            assertThat(TopicAdmin.partitions(watch, fleet.brokers(), names, ANSWER))
                    .hasSizeGreaterThanOrEqualTo(names.size());
            TopicAdmin.ends(watch, fleet.brokers(), names, ANSWER);
        }
        read(fleet, Topic.SHOWN);
        submit(fleet);
        desiredState(fleet);
        publishMetrics(fleet);
    }

    private static void publishMetrics(Cluster fleet) {
        new CommandSender(fleet, CloudEvents.CLI)
                .metrics(List.of(new MetricValues("job", 1L, null, Map.of("f1", 0.5))));
    }

    private static void read(Cluster fleet, Collection<Topic> topics) throws Exception {
        send(Topic.COMMANDS_LOW);
        try (EventLog log = EventLog.open(fleet, topics)) {
            log.readToEnd(_ -> {});
        }
    }

    private static void submit(Cluster fleet) throws Exception {
        new CommandSender(fleet, CloudEvents.CLI).send(List.of(JobJson.read(job("submitted"))), Priority.LOW, _ -> {});
    }

    private static void desiredState(Cluster fleet) {
        new CommandSender(fleet, CloudEvents.CLI)
                .control(List.of(new Control("job", Control.DesiredState.PAUSE, null, Instant.now())));
    }

    /// Reprioritizing needs the grants of all other operations, and publishes a copy of the command.
    private static void operate(Cluster fleet) throws Exception {
        read(
                fleet,
                Stream.concat(Topic.JOB_TOPICS.stream(), Stream.of(Topic.CONTROL))
                        .toList());
        submit(fleet);
        desiredState(fleet);
    }
}
