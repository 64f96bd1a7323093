package io.trainyard.tracking;

import io.trainyard.event.Control;
import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.share.ProjectUse;
import io.trainyard.spec.Printable;
import io.trainyard.tracking.CurveTables.Key;
import io.trainyard.tracking.NewsTable.Numbered;
import io.trainyard.tracking.NewsTable.Unreadable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
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

/// The history of all jobs that were ever heard of. Whoever reads the topics hands over what is told, and how far
/// it has read; both are there after that, or neither. Thread-safe.
public final class TrackingStore implements AutoCloseable {
    /// Jobs of which it is remembered where they stand, if there is room for them ([TrackedJob#ALL_BYTES]); of others
    /// it
    /// is read again.
    private static final int MAX_REMEMBERED = 2_000;

    /// Jobs of which it was logged that some record of theirs is left out.
    private static final int MAX_LOGGED = 1_000;

    private static final int MAX_REASON = 300;

    private static final System.Logger LOG = System.getLogger(TrackingStore.class.getName());

    /// Counts the jobs that were trained elsewhere, so that of two who add some one is refused.
    private static final Partition ADDED = new Partition("added", 0);

    private final Database database;
    private final CurveWriter curves = new CurveWriter();
    private volatile Map<Partition, Long> offsets = Map.of();
    private final Map<String, TrackedJob> remembered = new LinkedHashMap<>(16, 0.75f, true);
    private final Set<String> logged = Collections.synchronizedSet(new LinkedHashSet<>());
    private final LongAdder leftOut = new LongAdder();
    private long rememberedBytes;
    private long nextJob;
    private long nextNews;

    private TrackingStore(Database database) {
        this.database = database;
        reload();
    }

    /// @param url as JDBC has it: `jdbc:sqlite:FILE`, which is made where there is none, or
    ///     `jdbc:postgresql://HOST/DATABASE?user=NAME`
    /// @throws TrackingException if it cannot be opened
    public static TrackingStore open(String url) {
        return new TrackingStore(Database.open(url));
    }

    /// Opens a store that is there, to read it, also while a dashboard writes to it. Its tables are left as they are.
    ///
    /// @throws TrackingException if there is none
    public static TrackingStore openExisting(String url) {
        return new TrackingStore(Database.openExisting(url));
    }

    /// How far the topics were read: of each partition the offset that comes next. Waits for nobody who writes.
    public Map<Partition, Long> offsets() {
        return offsets;
    }

    /// Asks the database something small.
    ///
    /// @throws TrackingException if it does not answer
    public void requireThere() {
        var _ = database.read(connection -> new OffsetTable(connection).all());
    }

    /// Takes in what is told, and how far that is.
    ///
    /// @param next of the partitions read, the offsets that come next
    /// @throws IllegalArgumentException if the database refuses it; nothing was taken in
    /// @throws TrackingException if the store fails, or another process was quicker; nothing was taken in
    public synchronized Taken take(Collection<JobNews> news, Map<Partition, Long> next) {
        try {
            Taken taken = database.write(connection -> take(connection, news, next));
            moveOffsets(next);
            forgetEldest();
            return taken;
        } catch (RuntimeException e) {
            reload();
            throw e;
        }
    }

    /// Takes in all of a job that was trained elsewhere. Its number is below 0, where no reader of topics puts a
    /// job, so a dashboard may write to the same store meanwhile.
    ///
    /// @return false where a job of this name is there already; nothing was taken in
    /// @throws TrackingException if the store fails, or another process adds jobs, too; nothing was taken in
    public synchronized boolean add(String job, List<JobNews> news) {
        try {
            long next = offsets.getOrDefault(ADDED, 0L) + 1;
            boolean added = database.write(connection -> {
                JobTables jobs = new JobTables(connection);
                if (jobs.number(job) != 0) {
                    return false;
                }
                remember(job, new TrackedJob(jobs.numberBelow(), new JobState(job)));
                take(connection, news, Map.of(ADDED, next));
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

    /// What is remembered may be ahead of the store, or behind it.
    private void reload() {
        remembered.clear();
        rememberedBytes = 0;
        curves.forget();
        database.read(connection -> {
            nextJob = new JobTables(connection).nextNumber();
            nextNews = new NewsTable(connection).nextNumber();
            offsets = Map.copyOf(new OffsetTable(connection).all());
            return offsets;
        });
    }

    private Taken take(Connection connection, Collection<JobNews> all, Map<Partition, Long> next) throws SQLException {
        OffsetTable table = new OffsetTable(connection);
        for (var partition : next.entrySet()) {
            if (!table.move(partition.getKey(), offsets.get(partition.getKey()), partition.getValue())) {
                throw new TrackingException("another process has written to the tracking store; one at a time may");
            }
        }
        List<JobSummary> summaries = new ArrayList<>();
        List<Transition> transitions = new ArrayList<>();
        Changes changes = new Changes();
        for (JobNews news : all) {
            TrackedJob job = tracked(connection, news.job());
            Transition still = Transition.of(job.state(), news);
            changes.take(job, news);
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
        return new Taken(summaries, transitions);
    }

    /// What is new of some jobs, and is not written yet.
    private final class Changes {
        private final Map<TrackedJob, List<DeviceUse>> changed = new LinkedHashMap<>(); // as it was
        private final List<Numbered> told = new ArrayList<>();
        private final Map<Key, List<LossRow>> losses = new LinkedHashMap<>();
        private final Set<Key> ended = new LinkedHashSet<>();

        void take(TrackedJob job, JobNews news) {
            changed.computeIfAbsent(job, _ -> job.state().deviceUses());
            Set<Integer> before = growing(job.state());
            boolean isLosses = news instanceof Happened one && one.event() instanceof StepLosses;
            String body = isLosses ? null : NewsTable.body(news);
            long bytesBefore = job.bytes();
            boolean taken = job.take(news, body == null ? 0 : body.length());
            rememberedBytes += job.bytes() - bytesBefore;
            if (!taken) {
                leftOut(news.job(), "it has told more than is kept of one job");
            } else if (news instanceof Happened happened && happened.event() instanceof StepLosses step) {
                if (job.state().believes(happened)) {
                    losses.computeIfAbsent(new Key(job.number(), step.attempt()), _ -> new ArrayList<>())
                            .addAll(LossRow.of(step, news.millis()));
                }
            } else {
                told.add(new Numbered(job.number(), nextNews++, news, body));
                before.removeAll(growing(job.state()));
                before.forEach(attempt -> ended.add(new Key(job.number(), attempt)));
            }
        }
    }

    private List<JobSummary> write(Connection connection, Changes changes) throws SQLException {
        new NewsTable(connection).add(changes.told);
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

    /// The attempts that may tell more losses: of a job that has not ended, the newest.
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

    /// Where a job stands: the fold of all that was told of it, and of each attempt's last losses.
    private Read read(Connection connection, String job, long number) throws SQLException {
        TrackedJob found = new TrackedJob(number, new JobState(job));
        NewsTable table = new NewsTable(connection);
        Unreadable unreadable = table.each(job, number, found::take);
        table.lastLosses(job, number, news -> found.take(news, 0));
        if (unreadable.records() > 0) {
            leftOut(job, "%d stored records cannot be read: %s".formatted(unreadable.records(), unreadable.reason()));
        }
        return new Read(found, unreadable);
    }

    /// Logs it once of each job: it may happen with each of its records.
    private void leftOut(String job, String reason) {
        leftOut.increment();
        if (logged.size() < MAX_LOGGED && logged.add(job)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "records of the job {0} are left out of what is shown of it: {1}",
                    job,
                    Printable.text(reason, MAX_REASON));
        }
    }

    /// How often a record was left out since this process began, because it cannot be read or is too much.
    public long leftOut() {
        return leftOut.sum();
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

    /// Where a job stands; empty where nothing is known of it.
    public Optional<JobState> job(String job) {
        return known(job).map(Known::state);
    }

    /// A job in the store.
    ///
    /// @param leftOut what of it is not shown, in words; null: nothing
    public record Known(JobState state, @Nullable String leftOut) {}

    /// As [#job], with what of it is not shown.
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
                sentence = "it has told more than is kept of one job; larger records that came later are left out";
            }
            return Optional.of(new Known(found.job().state(), sentence));
        });
    }

    /// Reads what was told of a job but losses, in the order of reading; nothing where nothing is known of it. What
    /// cannot be read is left out.
    public void eachNews(String job, Consumer<JobNews> reader) {
        var _ = database.read(connection -> new NewsTable(connection)
                .each(job, new JobTables(connection).number(job), (news, _) -> reader.accept(news)));
    }

    /// The losses of a job's steps; empty where nothing is known of it.
    ///
    /// @param from the first step
    /// @param to the last step; where the job has fewer, its last
    /// @param points so many buckets at least, where there are so many steps, and at most twice as many and
    ///     two
    public Optional<Curve> losses(String job, long from, long to, int points) {
        return database.read(connection -> {
            JobCurves found = JobCurves.of(connection, List.of(job));
            return found.isEmpty() ? Optional.empty() : Optional.of(found.losses(from, to, points));
        });
    }

    /// The losses of several jobs, laid over one another by their steps: as of one job, but for the last loss of a
    /// bucket, which is any of theirs. Jobs of which nothing is known have none.
    public Curve losses(Collection<String> jobs, long from, long to, int points) {
        return database.read(connection -> JobCurves.of(connection, jobs).losses(from, to, points));
    }

    /// Takes the losses of a job, one by one and in order.
    @FunctionalInterface
    public interface LossReader {
        void take(LossSpan span) throws IOException;
    }

    /// All losses of a job's steps that count, each once, in order; none where nothing is known of it.
    ///
    /// @throws IOException what the reader throws
    public void eachLoss(String job, LossReader reader) throws IOException {
        eachLoss(job, 1, reader);
    }

    /// As the other `eachLoss`, from a step on.
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

    /// The learning rates of a job's steps, at some of them.
    ///
    /// @param points at most so many
    public List<RatePoint> learningRates(String job, int points) {
        return database.read(
                connection -> JobCurves.of(connection, List.of(job)).learningRates(points));
    }

    /// Keeps what somebody wishes of jobs: of each the last one.
    public void keep(Collection<Control> wishes) {
        if (!wishes.isEmpty()) {
            database.write(connection -> {
                new WishTable(connection).put(wishes);
                return wishes;
            });
        }
    }

    /// Forgets what is wished of jobs of which nothing was ever heard, if it is too much: anyone can wish something of
    /// a
    /// job that does not exist.
    ///
    /// @return how many
    public int forgetUnheardWishes() {
        return database.write(connection -> new WishTable(connection).forgetUnheard(WishTable.MAX_UNHEARD));
    }

    /// How many jobs have not ended, by what they are alike in.
    public List<UnderWay> underWay() {
        return database.read(connection -> new JobLists(connection).underWay());
    }

    /// What each project has, and had between two moments, in device time; of those that jobs name.
    ///
    /// @param fromMillis since 1970
    public Map<String, ProjectUse> projects(long fromMillis, long toMillis) {
        return database.read(connection -> new JobLists(connection).projects(fromMillis, toMillis));
    }

    /// What somebody wished of a job last; empty where nothing was.
    public Optional<Control> wish(String job) {
        return database.read(connection -> new WishTable(connection).find(job));
    }

    public Remarks remarks(String job) {
        return database.read(connection -> new RemarkTables(connection).find(new JobTables(connection).number(job)));
    }

    /// Writes something beside a job, in the place of what was there.
    ///
    /// @return whether the job is known
    public boolean remark(String job, Remarks remarks) {
        return database.write(connection -> {
            long number = new JobTables(connection).number(job);
            if (number != 0) {
                new RemarkTables(connection).put(number, remarks);
            }
            return number != 0;
        });
    }

    /// Reads the commands of the jobs that a query asks for, as JSON; of those that have one.
    ///
    /// @param reader is given the job and its command
    public void eachCommand(JobQuery query, BiConsumer<String, String> reader) {
        var _ = database.read(connection -> {
            new JobLists(connection).commands(query, reader);
            return query;
        });
    }

    /// The time that devices were at work, by what is asked for; what is not known is under the empty text.
    public SortedMap<String, Usage> usage(UsageQuery query) {
        return database.read(connection -> new UsageTables(connection).usage(query));
    }

    public AlertQueue alerts() {
        return new AlertQueue(database);
    }

    public Submitters submitters() {
        return new Submitters(database);
    }

    /// Forgets jobs that have ended, with all that is known of them: those that ended before a time, and of more
    /// than so many that have ended the eldest.
    ///
    /// @param before since 1970
    /// @param keep how many that have ended are kept
    /// @param most at most so many are forgotten, in one transaction
    /// @return which
    public synchronized List<String> forget(long before, long keep, int most) {
        List<String> forgotten = database.write(connection -> new JobTables(connection).forget(before, keep, most));
        if (!forgotten.isEmpty()) {
            reload();
        }
        return forgotten;
    }

    @Override
    public void close() {
        database.close();
    }
}
