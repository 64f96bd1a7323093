package io.trainyard.tracking;

import io.trainyard.event.Control;
import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.MetricValues;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.share.ProjectUse;
import io.trainyard.spec.Printable;
import io.trainyard.tracking.CurveTables.Key;
import io.trainyard.tracking.JobRecordTable.Numbered;
import io.trainyard.tracking.JobRecordTable.Unreadable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The history of all jobs. Records and the offsets up to which topics were read are stored in one transaction.
/// Thread-safe.
public final class TrackingStore implements AutoCloseable {
    /// The maximum number of jobs in the cache of job states, which also has a size limit
    /// ([TrackedJob#ALL_BYTES]). The states of other jobs are read from the database.
    private static final int MAX_REMEMBERED = 2_000;

    /// The maximum number of jobs for which dropped records are logged.
    private static final int MAX_LOGGED = 1_000;

    private static final int MAX_REASON = 300;

    private static final System.Logger LOG = System.getLogger(TrackingStore.class.getName());

    /// Counts the imported jobs, so that one of two concurrent imports is refused.
    private static final Partition ADDED = new Partition("added", 0);

    private final Database database;
    private final CurveWriter curves = new CurveWriter();
    private volatile Map<Partition, Long> offsets = Map.of();
    private final Map<String, TrackedJob> remembered = new LinkedHashMap<>(16, 0.75f, true);
    private final Set<String> logged = Collections.synchronizedSet(new LinkedHashSet<>());
    private final LongAdder omitted = new LongAdder();
    private long rememberedBytes;
    private long nextJob;
    private long nextJobRecord;
    private long unknownPoints = MetricTables.MAX_UNKNOWN; // an upper bound; counted at the first metric

    private TrackingStore(Database database) {
        this.database = database;
        reload();
    }

    /// @param url a JDBC URL: `jdbc:sqlite:FILE`, which is created if it does not exist, or
    ///     `jdbc:postgresql://HOST/DATABASE?user=NAME`
    /// @throws TrackingException if it cannot be opened
    public static TrackingStore open(String url) {
        return new TrackingStore(Database.open(url));
    }

    /// Opens an existing store for reading, even while a dashboard writes to it. Its tables are not migrated.
    ///
    /// @throws TrackingException if the store does not exist
    public static TrackingStore openExisting(String url) {
        return new TrackingStore(Database.openExisting(url));
    }

    /// The next offset of each partition. Does not block while a transaction writes.
    public Map<Partition, Long> offsets() {
        return offsets;
    }

    /// Checks with a small query that the database is available.
    ///
    /// @throws TrackingException if it does not answer
    public void requireThere() {
        var _ = database.read(connection -> new OffsetTable(connection).all());
    }

    /// Stores records and the offsets after them.
    ///
    /// @param next the next offsets of the partitions that were read
    /// @throws IllegalArgumentException if the database refuses the data; nothing was stored
    /// @throws TrackingException if the store fails or another process wrote first; nothing was stored
    public StoredChanges take(Collection<JobRecord> jobRecords, Map<Partition, Long> next) {
        return take(jobRecords, List.of(), next);
    }

    /// Like the other `take`, with users' metrics.
    public synchronized StoredChanges take(
            Collection<JobRecord> jobRecords, Collection<MetricValues> metrics, Map<Partition, Long> next) {
        try {
            StoredChanges taken = database.write(connection -> {
                StoredChanges changes = take(connection, jobRecords, next);
                take(connection, metrics);
                return changes;
            });
            moveOffsets(next);
            forgetEldest();
            return taken;
        } catch (RuntimeException e) {
            reload();
            throw e;
        }
    }

    /// Imports all records of a job that was trained elsewhere. Its number is below 0 and jobs from topics have
    /// numbers above 0, so a dashboard may write to the same store at the same time.
    ///
    /// @return false if a job with this id exists already; nothing was stored
    /// @throws TrackingException if the store fails or another process imports jobs; nothing was stored
    public synchronized boolean add(String job, List<JobRecord> jobRecords) {
        try {
            long next = offsets.getOrDefault(ADDED, 0L) + 1;
            boolean added = database.write(connection -> {
                JobTables jobs = new JobTables(connection);
                if (jobs.number(job) != 0) {
                    return false;
                }
                remember(job, new TrackedJob(jobs.numberBelow(), new JobState(job)));
                take(connection, jobRecords, Map.of(ADDED, next));
                return true;
            });
            if (added) {
                moveOffsets(Map.of(ADDED, next));
                forgetEldest();
            }
            return added;
        } catch (RuntimeException e) {
            reload();
            throw e;
        }
    }

    private void moveOffsets(Map<Partition, Long> next) {
        Map<Partition, Long> moved = new HashMap<>(offsets);
        moved.putAll(next);
        offsets = Map.copyOf(moved);
    }

    /// Resets the cache, which may differ from the store.
    private void reload() {
        remembered.clear();
        rememberedBytes = 0;
        curves.forget();
        database.read(connection -> {
            nextJob = new JobTables(connection).nextNumber();
            nextJobRecord = new JobRecordTable(connection).nextNumber();
            offsets = Map.copyOf(new OffsetTable(connection).all());
            return offsets;
        });
    }

    private StoredChanges take(Connection connection, Collection<JobRecord> all, Map<Partition, Long> next)
            throws SQLException {
        OffsetTable table = new OffsetTable(connection);
        for (var partition : next.entrySet()) {
            if (!table.move(partition.getKey(), offsets.get(partition.getKey()), partition.getValue())) {
                throw new TrackingException(
                        "another process has written to the tracking store; use one dashboard per store");
            }
        }
        List<JobSummary> summaries = new ArrayList<>();
        List<Transition> transitions = new ArrayList<>();
        Changes changes = new Changes();
        for (JobRecord jobRecord : all) {
            TrackedJob job = tracked(connection, jobRecord.job());
            Transition still = Transition.of(job.state(), jobRecord);
            changes.take(job, jobRecord);
            Transition transition = still.to(job.state());
            if (!transition.isNone()) {
                transitions.add(transition);
            }
            if (rememberedBytes > TrackedJob.ALL_BYTES) {
                summaries.addAll(write(connection, changes));
                changes = new Changes();
                forgetEldest();
            }
        }
        summaries.addAll(write(connection, changes));
        return new StoredChanges(summaries, transitions);
    }

    /// Stores metrics. Those of jobs without a command are limited together.
    private void take(Connection connection, Collection<MetricValues> metrics) throws SQLException {
        if (metrics.isEmpty()) {
            return;
        }
        MetricTables tables = new MetricTables(connection);
        tables.put(metrics)
                .forEach(job -> omitted(
                        job, "it has more than the %d metrics that a job may have".formatted(MetricValues.MAX_NAMES)));
        Set<String> known = new HashSet<>();
        JobTables jobs = new JobTables(connection);
        for (MetricValues one : metrics) {
            if (!known.contains(one.job()) && jobs.number(one.job()) != 0) {
                known.add(one.job());
            }
            unknownPoints += known.contains(one.job()) ? 0 : one.values().size();
        }
        if (unknownPoints > MetricTables.MAX_UNKNOWN) {
            unknownPoints = tables.limitUnknown();
        }
    }

    /// Changes of jobs that are not in the database yet.
    private final class Changes {
        private final Map<TrackedJob, List<DeviceUse>> changed =
                new LinkedHashMap<>(); // the device use before the changes
        private final List<Numbered> published = new ArrayList<>();
        private final Map<Key, List<LossRow>> losses = new LinkedHashMap<>();
        private final Set<Key> ended = new LinkedHashSet<>();

        void take(TrackedJob job, JobRecord jobRecord) {
            changed.computeIfAbsent(job, _ -> job.state().deviceUses());
            Set<Integer> before = growing(job.state());
            boolean isLosses = jobRecord instanceof EventRecord one && one.event() instanceof StepLosses;
            String body = isLosses ? null : JobRecordTable.body(jobRecord);
            long bytesBefore = job.bytes();
            boolean taken = job.take(jobRecord, body == null ? 0 : body.length());
            rememberedBytes += job.bytes() - bytesBefore;
            if (!taken) {
                omitted(jobRecord.job(), "it has more records than are stored for one job");
            } else if (jobRecord instanceof EventRecord happened && happened.event() instanceof StepLosses step) {
                if (job.state().accepts(happened)) {
                    losses.computeIfAbsent(new Key(job.number(), step.attempt()), _ -> new ArrayList<>())
                            .addAll(LossRow.of(step, jobRecord.millis()));
                }
            } else {
                published.add(new Numbered(job.number(), nextJobRecord++, jobRecord, body));
                before.removeAll(growing(job.state()));
                before.forEach(attempt -> ended.add(new Key(job.number(), attempt)));
            }
        }
    }

    private List<JobSummary> write(Connection connection, Changes changes) throws SQLException {
        new JobRecordTable(connection).add(changes.published);
        Map<Long, JobState> states = new LinkedHashMap<>();
        Map<Long, List<DeviceUse>> uses = new LinkedHashMap<>();
        changes.changed.forEach((job, before) -> {
            states.put(job.number(), job.state());
            List<DeviceUse> now = new ArrayList<>(job.state().deviceUses());
            now.removeAll(before);
            uses.put(job.number(), now);
        });
        grow(connection, states, changes.losses, changes.ended);
        new UsageTables(connection).put(uses);
        return new JobTables(connection).put(states);
    }

    private void grow(Connection connection, Map<Long, JobState> states, Map<Key, List<LossRow>> losses, Set<Key> ended)
            throws SQLException {
        CurveTables tables = new CurveTables(connection);
        for (var curve : losses.entrySet()) {
            JobState state = states.get(curve.getKey().job());
            curves.add(
                    tables,
                    curve.getKey(),
                    curve.getValue(),
                    state == null || growing(state).contains(curve.getKey().attempt()));
        }
        for (Key key : ended) {
            curves.end(tables, key);
        }
    }

    /// The attempts that may publish more losses: the newest one, if the job has not ended.
    private static Set<Integer> growing(JobState state) {
        Set<Integer> growing = new LinkedHashSet<>();
        if (!state.status().isFinal()) {
            growing.add(Math.max(1, state.attempt()));
        }
        return growing;
    }

    private TrackedJob tracked(Connection connection, String job) throws SQLException {
        TrackedJob known = remembered.get(job);
        if (known == null) {
            long number = new JobTables(connection).number(job);
            known = number == 0
                    ? new TrackedJob(nextJob++, new JobState(job))
                    : read(connection, job, number).job();
            remember(job, known);
        }
        return known;
    }

    private void remember(String job, TrackedJob known) {
        remembered.put(job, known);
        rememberedBytes += known.bytes();
    }

    private record Read(TrackedJob job, Unreadable unreadable) {}

    /// Computes the state of a job from its stored records and the last losses of each attempt.
    private Read read(Connection connection, String job, long number) throws SQLException {
        TrackedJob found = new TrackedJob(number, new JobState(job));
        JobRecordTable table = new JobRecordTable(connection);
        Unreadable unreadable = table.each(job, number, found::take);
        table.lastLosses(job, number, jobRecord -> found.take(jobRecord, 0));
        if (unreadable.records() > 0) {
            omitted(job, "%d stored records cannot be read: %s".formatted(unreadable.records(), unreadable.reason()));
        }
        return new Read(found, unreadable);
    }

    /// Logs dropped records once per job because many may follow.
    private void omitted(String job, String reason) {
        omitted.increment();
        if (logged.size() < MAX_LOGGED && logged.add(job)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "some records of the job {0} are not shown: {1}",
                    job,
                    Printable.text(reason, MAX_REASON));
        }
    }

    /// The number of records that were dropped since the process started, because they are unreadable or exceed
    /// a job's limit.
    public long omitted() {
        return omitted.sum();
    }

    synchronized long rememberedBytes() {
        return rememberedBytes;
    }

    private void forgetEldest() {
        var eldest = remembered.entrySet().iterator();
        while (remembered.size() > MAX_REMEMBERED || rememberedBytes > TrackedJob.ALL_BYTES) {
            rememberedBytes -= eldest.next().getValue().bytes();
            eldest.remove();
        }
    }

    public JobPage jobs(JobQuery query) {
        return database.read(connection -> new JobLists(connection).page(query));
    }

    /// The state of a job; empty if the job is unknown.
    public Optional<JobState> job(String job) {
        return known(job).map(Known::state);
    }

    public boolean isKnown(String job) {
        return database.read(connection -> new JobTables(connection).number(job) != 0);
    }

    /// A job in the store.
    ///
    /// @param omitted which records are missing, in words; null if the state is complete
    public record Known(JobState state, @Nullable String omitted) {}

    /// Like [#job], with a description of missing records.
    public Optional<Known> known(String job) {
        return database.read(connection -> {
            long number = new JobTables(connection).number(job);
            if (number == 0) {
                return Optional.empty();
            }
            Read found = read(connection, job, number);
            String sentence = null;
            if (found.unreadable().records() > 0) {
                sentence = "%d of its stored records cannot be read: %s"
                        .formatted(
                                found.unreadable().records(),
                                Printable.text(found.unreadable().reason(), MAX_REASON));
            } else if (found.job().isFull()) {
                sentence =
                        "it has more records than are stored for one job; larger records that came later are left out";
            }
            return Optional.of(new Known(found.job().state(), sentence));
        });
    }

    /// Reads the records of a job, except losses, in the order in which they arrived. Reads nothing if the job
    /// is unknown. Unreadable records are skipped.
    public void eachJobRecord(String job, Consumer<JobRecord> reader) {
        var _ = database.read(connection -> new JobRecordTable(connection)
                .each(job, new JobTables(connection).number(job), (jobRecord, _) -> reader.accept(jobRecord)));
    }

    /// The losses of a job's steps; empty if the job is unknown.
    ///
    /// @param from the first step
    /// @param to the last step, limited to the last step of the job
    /// @param points the minimum number of buckets, if the range has that many steps; the maximum is twice that
    ///     number plus two
    public Optional<Curve> losses(String job, long from, long to, int points) {
        return database.read(connection -> {
            JobCurves found = JobCurves.of(connection, List.of(job));
            return found.isEmpty() ? Optional.empty() : Optional.of(found.losses(from, to, points));
        });
    }

    /// The losses of several jobs, merged by step as if they were one job. The last loss of a bucket may come
    /// from any of the jobs. Unknown jobs are ignored.
    public Curve losses(Collection<String> jobs, long from, long to, int points) {
        return database.read(connection -> JobCurves.of(connection, jobs).losses(from, to, points));
    }

    /// Receives the losses of a job in order.
    @FunctionalInterface
    public interface LossReader {
        void take(LossSpan span) throws IOException;
    }

    /// Reads all losses of a job that count, each step once and in order. Reads nothing if the job is unknown.
    ///
    /// @throws IOException if the reader throws it
    public void eachLoss(String job, LossReader reader) throws IOException {
        eachLoss(job, 1, reader);
    }

    /// Like the other `eachLoss`, starting at a step.
    public void eachLoss(String job, long from, LossReader reader) throws IOException {
        try {
            database.read(connection -> {
                JobCurves.of(connection, List.of(job)).spans(from, span -> hand(span, reader));
                return job;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void hand(LossSpan span, LossReader reader) {
        try {
            reader.take(span);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The learning rates of a job, at evenly spaced steps.
    ///
    /// @param points the maximum number of steps
    public List<RatePoint> learningRates(String job, int points) {
        return database.read(
                connection -> JobCurves.of(connection, List.of(job)).learningRates(points));
    }

    /// Stores control requests. The last request for a job replaces earlier ones.
    public void keep(Collection<Control> controls) {
        if (!controls.isEmpty()) {
            database.write(connection -> {
                new ControlTable(connection).put(controls);
                return controls;
            });
        }
    }

    /// Deletes the oldest control requests for unknown jobs above a limit. Any client can publish requests for
    /// jobs that do not exist.
    ///
    /// @return the number of deleted requests
    public int forgetUnreadControls() {
        return database.write(connection -> new ControlTable(connection).deleteUnknown(ControlTable.MAX_UNKNOWN));
    }

    /// The number of unfinished jobs by status, device kind and topic.
    public List<UnfinishedJobs> underWay() {
        return database.read(connection -> new JobLists(connection).underWay());
    }

    /// The running and queued jobs of each project that has any, and its device time between two moments.
    ///
    /// @param fromMillis Unix time in ms
    public Map<String, ProjectUse> projects(long fromMillis, long toMillis) {
        return database.read(connection -> new JobLists(connection).projects(fromMillis, toMillis));
    }

    /// The last control request for a job, if any.
    public Optional<Control> control(String job) {
        return database.read(connection -> new ControlTable(connection).find(job));
    }

    /// The users' metrics of a job, in the order in which they were first published; empty if the job is unknown.
    ///
    /// @param points the maximum number of points of each, evenly chosen, and the last one
    public Optional<List<MetricPoints>> metrics(String job, int points) {
        return database.read(connection -> new JobTables(connection).number(job) == 0
                ? Optional.empty()
                : Optional.of(new MetricTables(connection).of(job, points)));
    }

    /// Reads the users' metrics of a job one by one, with all stored points.
    ///
    /// @throws IOException if the reader throws it
    public void eachMetric(String job, MetricReader reader) throws IOException {
        try {
            var _ = database.read(connection -> {
                new MetricTables(connection).each(job, metric -> {
                    try {
                        reader.take(metric);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                return job;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// Receives the metrics of a job in order.
    @FunctionalInterface
    public interface MetricReader {
        void take(MetricPoints metric) throws IOException;
    }

    public Annotations remarks(String job) {
        return database.read(
                connection -> new AnnotationTables(connection).find(new JobTables(connection).number(job)));
    }

    /// Replaces the tags and the note of a job.
    ///
    /// @return whether the job exists
    public boolean remark(String job, Annotations remarks) {
        return database.write(connection -> {
            long number = new JobTables(connection).number(job);
            if (number != 0) {
                new AnnotationTables(connection).put(number, remarks);
            }
            return number != 0;
        });
    }

    /// Reads the commands of the jobs that a query matches, as JSON. Jobs without a command are skipped.
    ///
    /// @param reader receives the job and its command
    public void eachCommand(JobQuery query, BiConsumer<String, String> reader) {
        var _ = database.read(connection -> {
            new JobLists(connection).commands(query, reader);
            return query;
        });
    }

    /// The device time by the key of the query. Unknown keys are under the empty text.
    public SortedMap<String, DeviceTime> usage(UsageQuery query) {
        return database.read(connection -> new UsageTables(connection).usage(query));
    }

    public AlertQueue alerts() {
        return new AlertQueue(database);
    }

    public Submitters submitters() {
        return new Submitters(database);
    }

    /// Deletes ended jobs with all their data: those that ended before a time, and the oldest above a maximum
    /// number.
    ///
    /// @param before Unix time in ms
    /// @param keep the number of ended jobs to keep
    /// @param most the maximum number of jobs to delete, in one transaction
    /// @return the ids of the deleted jobs
    public synchronized List<String> forget(long before, long keep, int most) {
        List<String> forgotten = database.write(connection -> new JobTables(connection).forget(before, keep, most));
        if (!forgotten.isEmpty()) {
            reload();
        }
        return forgotten;
    }

    /// Deletes a job with all its data, if it is known.
    public synchronized void forget(String job) {
        var _ = database.write(connection -> {
            JobTables jobs = new JobTables(connection);
            long number = jobs.number(job);
            jobs.delete(number == 0 ? Map.of() : Map.of(number, job));
            return number;
        });
        reload();
    }

    @Override
    public void close() {
        database.close();
    }
}
