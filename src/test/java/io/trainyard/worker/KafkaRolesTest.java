package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.broker.SecureBroker;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.Control;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.KafkaRole.Grant;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.AuthorizationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What each role must be allowed at Kafka: enough, and nothing that could be left out.
@Slow
class KafkaRolesTest {
    private static final String PREFIX = "roles.";
    private static final Duration ANSWER = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static SecureBroker kafka;
    private static Admin admin;
    private static CheckpointStore store;

    @BeforeAll
    static void start() throws Exception {
        kafka = SecureBroker.start(folder);
        admin = kafka.anyDoor().admin(Patience.LIMIT);
        store = CheckpointStore.open(folder.resolve("checkpoints").toUri());
        TopicAdmin.createMissing(kafka.anyDoor(), PREFIX, Patience.LIMIT);
    }

    @AfterAll
    static void stop() {
        admin.close();
        kafka.close();
    }

    @ParameterizedTest
    @EnumSource
    void needsAllOfItsGrantsAndNoOther(KafkaRole role) throws Exception {
        kafka.addUser(role.word());
        Brokers brokers = kafka.as(kafka.scram(role.word(), SecureBroker.PASSWORD));
        List<AclBinding> all =
                role.grants().stream().map(grant -> acl(grant, role.word())).toList();
        allow(all);
        assertThatCode(() -> work(role, brokers)).as("%s with all", role).doesNotThrowAnyException();
        for (AclBinding one : all) {
            forbid(one);
            Throwable refusal = catchThrowable(() -> work(role, brokers));
            assertThat(refusal).as("%s without %s", role, one).isNotNull();
            assertThat(Stream.iterate(refusal, cause -> cause != null, Throwable::getCause))
                    .as("%s without %s", role, one)
                    .anyMatch(AuthorizationException.class::isInstance);
            allow(List.of(one));
        }
    }

    private static AclBinding acl(Grant grant, String user) {
        return new AclBinding(
                grant.resource(PREFIX),
                new AccessControlEntry("User:" + user, "*", grant.operation(), AclPermissionType.ALLOW));
    }

    private static void allow(Collection<AclBinding> acls) {
        await(admin.createAcls(acls).all());
        Patience.await("the ACLs")
                .until(() ->
                        await(admin.describeAcls(AclBindingFilter.ANY).values()).containsAll(acls));
    }

    private static void forbid(AclBinding acl) {
        await(admin.deleteAcls(List.of(acl.toFilter())).all());
        Patience.await("no ACL")
                .until(() -> !await(admin.describeAcls(AclBindingFilter.ANY).values())
                        .contains(acl));
    }

    private static <T> T await(KafkaFuture<T> answer) {
        return TopicAdmin.await(kafka.anyDoor(), answer, Patience.LIMIT);
    }

    private static void work(KafkaRole role, Brokers brokers) throws Exception {
        Cluster fleet = new Cluster(brokers, PREFIX, ANSWER);
        switch (role) {
            case WORKER -> workAsWorker(brokers);
            case DASHBOARD -> workAsDashboard(fleet);
            case READER -> read(fleet, Topic.NEWS);
            case SUBMITTER -> submit(fleet);
            case OPERATOR -> operate(fleet);
            case ADMINISTRATOR -> {
                for (Topic topic : List.of(Topic.STEPS, Topic.COMMANDS_LOW)) { // of a fleet that has none of them
                    String fresh = PREFIX + System.nanoTime() + ".";
                    TopicAdmin.createMissing(brokers, fresh, List.of(topic), ANSWER);
                }
            }
        }
    }

    /// What a worker asks of Kafka, by the classes that ask it.
    private static void workAsWorker(Brokers brokers) throws Exception {
        TopicAdmin.createMissing(brokers, PREFIX, ANSWER);
        int deliveries = ShareGroups.configure(brokers, PREFIX, ANSWER);
        try (KafkaFleetLog log = new KafkaFleetLog(brokers, PREFIX, "w")) {
            Patience.await("the end of what all read").until(() -> {
                log.poll(Duration.ofMillis(10));
                return log.isCaughtUp();
            });
        }
        try (var producer = brokers.producer(Map.of())) {
            for (Topic topic : Topic.values()) {
                if (topic.content() != Topic.Content.COMMANDS || topic == Topic.CUDA_COMMANDS_LOW) { // passed on
                    var _ = Patience.get(
                            producer.send(new ProducerRecord<>(topic.name(PREFIX), "job", new byte[] {1})));
                }
            }
        }
        send(Topic.COMMANDS_HIGH);
        CommandRoutes routes = new CommandRoutes(PREFIX, Set.of("cpu"));
        try (ShareQueue queue = new ShareQueue(brokers, "w", routes.sources().subList(0, 1))) {
            Patience.await("a command").until(() -> queue.next().isPresent());
            assertThat(queue.accept()).isTrue();
        }
        WorkerRules rules = new WorkerRules("w", routes, ANSWER, ANSWER, 3, deliveries);
        FleetView view = new FleetView("w", Instant.now());
        EventPublisher nowhere = new EventPublisher((_, _, _, _) -> CompletableFuture.allOf(), PREFIX, "w");
        new CommandSweep(brokers, new Surroundings(rules, new Machine(), store, nowhere, view, new Activity())).sweep();
    }

    private static void send(Topic topic) throws Exception {
        try (var producer = kafka.anyDoor().producer(Map.of())) {
            var _ = Patience.get(producer.send(new ProducerRecord<>(topic.name(PREFIX), "job", job("any"))));
        }
    }

    private static byte[] job(String id) {
        return Fleet.job(id).getBytes(StandardCharsets.UTF_8);
    }

    /// The channel that reads for it is a consumer of a group; what it publishes, it does as the command line.
    private static void workAsDashboard(Cluster fleet) throws Exception {
        TopicAdmin.createMissing(fleet.brokers(), PREFIX, Topic.SHOWN, ANSWER);
        List<String> names =
                Topic.SHOWN.stream().map(topic -> topic.name(PREFIX)).toList();
        try (var consumer = fleet.brokers().consumer(Map.of("group.id", PREFIX + "dashboard-1"));
                Admin watch = fleet.brokers().admin(ANSWER)) {
            consumer.subscribe(names);
            Patience.await("partitions of all").until(() -> {
                consumer.poll(Duration.ofMillis(50));
                return consumer.assignment().size() >= names.size();
            });
            consumer.seekToBeginning(consumer.assignment());
            consumer.poll(ANSWER);
            TopicAdmin.ends(watch, fleet.brokers(), names, ANSWER);
        }
        assertThat(TopicAdmin.ids(fleet.brokers(), ANSWER)).containsKeys(names.toArray(String[]::new));
        read(fleet, Topic.SHOWN);
        submit(fleet);
        wish(fleet);
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

    private static void wish(Cluster fleet) {
        new CommandSender(fleet, CloudEvents.CLI)
                .wish(List.of(new Control("job", Control.Wish.PAUSE, null, Instant.now())));
    }

    /// To reprioritize is all that the others do, and a copy of the command.
    private static void operate(Cluster fleet) throws Exception {
        read(fleet, Stream.concat(Topic.NEWS.stream(), Stream.of(Topic.CONTROL)).toList());
        submit(fleet);
        wish(fleet);
    }
}
