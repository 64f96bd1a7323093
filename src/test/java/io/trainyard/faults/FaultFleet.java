package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A fleet for fault injection: healthy workers, victims, identical jobs, and the result of such a job without
/// faults.
final class FaultFleet implements AutoCloseable {
    /// The result of each kind of job without faults, shared by all fleets of this JVM.
    private static final Map<String, CompletableFuture<String>> UNDISTURBED = new ConcurrentHashMap<>();

    private final PackagedFleet fleet;
    private final FleetRecords records;
    private final List<String> environment;
    private final FaultStore store;
    private final String device;
    private final String job;
    private final CompletableFuture<String> undisturbed;
    private final List<String> jobs = new ArrayList<>();
    private int workers;

    /// The jobs and workers of a fleet.
    ///
    /// @param environment of every worker, as `NAME=value`
    /// @param device of every worker
    /// @param job the JSON of a job with `%s` as id
    record Setup(List<String> environment, String device, String job) {}

    /// @param recordsFrom the brokers to read the fleet's records from
    FaultFleet(Path folder, PackagedFleet fleet, Brokers recordsFrom, FaultStore store, Setup setup) {
        this.fleet = fleet;
        this.store = store;
        this.environment = Stream.concat(store.environment().stream(), setup.environment().stream())
                .toList();
        this.device = setup.device();
        this.job = setup.job();
        this.records = new FleetRecords(recordsFrom, Topic.DEFAULT_PREFIX);
        this.undisturbed = UNDISTURBED.computeIfAbsent(
                device + job, _ -> CompletableFuture.supplyAsync(() -> sha256(folder, device, job)));
    }

    /// The final parameters of a job without faults.
    private static String sha256(Path folder, String device, String job) {
        try {
            Path file = Files.writeString(folder.resolve("undisturbed.json"), job.formatted("undisturbed"));
            try (TrainyardProcess train = TrainyardProcess.start(
                    folder, "train", file.toString(), "--json", "--device", device, "--checkpoints", "undisturbed")) {
                assertThat(train.exitStatus()).as(train.toString()).isZero();
                return ((Finished) PackagedFleet.event(train.lines().getLast())).parametersSha256();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts a fleet with the broker and store of the campaign.
    static FaultFleet start(Path folder, List<String> environment, String device, String job) {
        return start(folder, FaultStore.Kind.chosen().open(folder), new Setup(environment, device, job));
    }

    /// Starts a fleet with the broker of the campaign.
    static FaultFleet start(Path folder, FaultStore store, Setup setup) {
        PackagedFleet fleet = FaultKafka.chosen().start(folder);
        return new FaultFleet(folder, fleet, fleet.readerConnection(), store, setup);
    }

    /// A job with several epochs of 1600 short steps and checkpoints within them.
    static String job(int epochs) {
        return """
            {"id": "%%s", "network": "lenet", "dataset": "shapes32", "epochs": %d, "batchSize": 4, "shuffle": true,
             "checkpointEverySteps": 700, "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}}""".formatted(epochs);
    }

    /// Like [#job], for the reference device, which compiles nothing: half a second.
    static String smallJob() {
        return """
            {"id": "%s", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]},
             "dataset": "shapes28", "epochs": 2, "batchSize": 4, "shuffle": true, "checkpointEverySteps": 700}""";
    }

    PackagedFleet fleet() {
        return fleet;
    }

    FleetRecords records() {
        return records;
    }

    /// Starts a worker without faults.
    ///
    /// @return its id
    String startWorker(String... options) {
        String id = "w" + ++workers;
        fleet.startWorker(id, environment, onDevice(options));
        return id;
    }

    /// Starts a worker with a kill point.
    ///
    /// @param plan the value of the system property
    Victim startVictim(String plan, String... options) {
        String id = "victim-" + ++workers;
        fleet.startWorker(
                id,
                Stream.concat(environment.stream(), Stream.of("JAVA_TOOL_OPTIONS=-Dkillpoint=" + plan))
                        .toList(),
                onDevice(options));
        return new Victim(id, plan, fleet.worker(id));
    }

    private String[] onDevice(String... options) {
        List<String> all = new ArrayList<>(List.of("--device", device));
        all.addAll(List.of(options));
        if (!all.contains("--checkpoints")) {
            all.addAll(List.of("--checkpoints", store.uri().toString()));
        }
        return all.toArray(String[]::new);
    }

    /// @return the jobs' ids
    List<String> submit(int count) {
        List<String> more = IntStream.rangeClosed(1, count)
                .mapToObj(i -> "job-" + (jobs.size() + i))
                .toList();
        more.forEach(id -> fleet.send(job.formatted(id), Priority.NORMAL));
        jobs.addAll(more);
        return more;
    }

    /// Submits jobs until all victims have been hit.
    ///
    /// @return the jobs
    List<String> strike(List<Victim> victims, int spare) {
        fleet.awaitMembers();
        List<String> submitted = new ArrayList<>(submit(victims.size() + spare));
        Patience.awaitJobs("all to be struck: " + victims + fleet)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    long left =
                            victims.stream().filter(victim -> !victim.look()).count();
                    if (left > 0
                            && submitted.stream()
                                    .allMatch(id -> records.finished(id).isPresent())) {
                        submitted.addAll(submit((int) left + spare));
                    }
                    return left == 0;
                });
        return submitted;
    }

    /// Waits until the jobs have finished with the same result as without faults.
    void awaitFinished(Collection<String> ids) {
        Patience.awaitJobs("the end of %s: %s".formatted(ids, fleet))
                .until(() -> ids.stream().allMatch(id -> records.finished(id).isPresent()));
        String expected = undisturbed.join();
        ids.forEach(id -> assertThat(records.finished(id).orElseThrow().parametersSha256())
                .as("%s: %s", id, fleet)
                .isEqualTo(expected));
    }

    void check() {
        fleet.checkAll(jobs.size());
    }

    FaultStore store() {
        return store;
    }

    JobFolder folder(String id) {
        return new JobFolder(store.store(), id);
    }

    private Map<Integer, Owner> holders(String id) {
        JobFolder kept = folder(id);
        Map<Integer, Owner> owners = new LinkedHashMap<>();
        for (int number = 1; number <= kept.chain().last(); number++) {
            if (kept.link(number).orElseThrow() instanceof Owner owner) {
                owners.put(number, owner);
            }
        }
        return owners;
    }

    /// The delays from each victim's fault to the first step of the next attempt, or to the job's end if no
    /// steps remain. If one victim took over from another, only the second counts. Jobs with all events before
    /// the fault do not count.
    List<Duration> delays(List<Victim> victims, List<String> ids) {
        Map<String, Victim> byId = victims.stream().collect(Collectors.toMap(Victim::id, victim -> victim));
        List<Duration> delays = new ArrayList<>();
        for (String id : ids) {
            Map<Integer, Owner> holders = holders(id);
            holders.forEach((number, holder) -> {
                Victim victim = byId.get(holder.worker());
                Owner next = holders.get(number + 1);
                if (victim != null && (next == null || !byId.containsKey(next.worker()))) {
                    records.firstStepAfter(id, number)
                            .or(() -> records.endSent(id))
                            .map(time -> Duration.between(victim.struck(), time))
                            .filter(delay -> !delay.isNegative())
                            .ifPresent(delays::add);
                }
            });
        }
        return delays;
    }

    /// As [#delays], for commands that a victim fetched but did not claim in the store.
    List<Duration> delaysOfPolled(List<Victim> victims, List<String> ids) {
        List<Instant> firstSteps = ids.stream()
                .filter(id -> folder(id).link(1).orElseThrow() instanceof Owner owner && owner.delivery() > 1)
                .flatMap(id -> records.firstStepAfter(id, 0).stream())
                .sorted()
                .toList();
        List<Instant> struck = victims.stream().map(Victim::struck).sorted().toList();
        List<Duration> delays = new ArrayList<>();
        for (int i = 1; i <= Math.min(firstSteps.size(), struck.size()); i++) {
            delays.add(Duration.between(struck.get(struck.size() - i), firstSteps.get(firstSteps.size() - i)));
        }
        return delays;
    }

    /// The longest time between two successive claims of these jobs.
    Duration longestPause(List<String> ids) {
        List<Instant> claims = ids.stream()
                .flatMap(id -> records.of(id).stream())
                .filter(received -> received.event() instanceof Claimed)
                .map(FleetRecords.Received::time)
                .sorted()
                .toList();
        return IntStream.range(1, claims.size())
                .mapToObj(i -> Duration.between(claims.get(i - 1), claims.get(i)))
                .max(Duration::compareTo)
                .orElseThrow();
    }

    @Override
    public void close() {
        records.close();
        fleet.close();
    }
}
