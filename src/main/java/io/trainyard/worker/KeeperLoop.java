package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.custody.Custody;
import io.trainyard.custody.CustodyJson;
import io.trainyard.custody.Deferrals;
import io.trainyard.custody.Deferrals.Deferral;
import io.trainyard.custody.Duty;
import io.trainyard.custody.Keeper;
import io.trainyard.custody.Request;
import io.trainyard.custody.Resting;
import io.trainyard.event.Control;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Halving;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// Reads what all workers read, on a thread of its own, and does what falls to this one: see [Keeper].
final class KeeperLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KeeperLoop.class.getName());

    /// Until what is there already has been read: more may come with no record of it.
    private static final Duration POLL = Duration.ofMillis(100);

    /// After that. What is new comes at once.
    private static final Duration IDLE_POLL = Duration.ofSeconds(1);

    /// How long the brokers may take for one duty; what is not done by then becomes due again.
    private static final Duration DUTY_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Surroundings around;
    private final WorkerRules rules;
    private final EventPublisher publisher;
    private final Announcer announcer;
    private final Supplier<FleetLog> logs;
    private final Map<String, Topic> topics;
    private final StopSignal stop;
    private final Keeper keeper;
    private final Resting resting;
    private final Halving halving;
    private final StoreWatch stores;
    private final CompletableFuture<Optional<JobSpec>> ready = new CompletableFuture<>();
    private final Deferrals<Deferred> deferrals;
    private final Shares shares;
    private final Preemption preemption;
    private boolean toldTooMany;

    /// @param logs opens the log, anew whenever one is broken
    KeeperLoop(Surroundings around, Supplier<FleetLog> logs, Keeper.Rules keeping) {
        this.around = around;
        this.rules = around.rules();
        this.publisher = around.publisher();
        this.announcer = new Announcer(around);
        this.logs = logs;
        this.topics = Topic.byName(rules.routes().prefix());
        this.stop = new StopSignal(around.host());
        this.keeper = new Keeper(rules.worker(), keeping);
        this.deferrals = new Deferrals<>(keeper, rules.deferring());
        this.shares = new Shares(keeper, rules);
        this.resting = new Resting(keeper, keeping.beats());
        this.halving = new Halving(around.store());
        this.preemption = new Preemption(around, keeper);
        this.stores = new StoreWatch(rules.worker(), around.store());
    }

    void start() {
        var _ = around.host().start("keeper", this::run);
    }

    /// Done when all is known that was told before this worker; with a job that another has, where one does.
    CompletableFuture<Optional<JobSpec>> ready() {
        return ready;
    }

    private void run() {
        try {
            while (!stop.isRequested()) {
                try (FleetLog log = logs.get()) {
                    keep(log);
                } catch (KafkaException e) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "worker={0} cannot read the fleet''s topics, and tries again: {1}",
                            rules.worker(),
                            e.getMessage());
                } catch (RuntimeException e) { // the worker's own mistake: its jobs must be kept all the same
                    LOG.log(System.Logger.Level.ERROR, "worker=" + rules.worker() + " cannot keep jobs", e);
                }
                stop.await(PAUSE);
            }
        } catch (InterruptedException | Error e) {
            ready.completeExceptionally(e);
            LOG.log(System.Logger.Level.ERROR, "worker=" + rules.worker() + " keeps no jobs any more", e);
        }
    }

    private void keep(FleetLog log) throws InterruptedException {
        boolean judged = false;
        while (!stop.isRequested()) {
            boolean fresh = log.isCaughtUp();
            var entries = log.poll(!judged ? POLL : preemption.isNeeded() ? Preemption.LOOK : IDLE_POLL);
            for (var entry : entries) {
                read(entry, fresh);
            }
            if (judged) {
                preemption.look(log);
            }
            boolean isNews = !judged || !entries.isEmpty(); // time is heartbeats: without any, nothing becomes due
            if (log.isCaughtUp() && isNews) {
                judged = true;
                around.fleet().live(deferrals.live());
                around.fleet().deferred(deferrals.due(), deferrals.isFull());
                around.fleet().shares(shares.view(around.fleet().keepPermits()));
                around.fleet()
                        .objection(
                                stores.objection(keeper.live()), around.host().now());
                if (!ready.isDone()) {
                    ready.complete(keeper.underWay());
                }
                sayIfTooMany();
                for (Duty duty : keeper.due()) {
                    perform(duty);
                }
                for (var deferral : deferrals.hopeless()) {
                    giveUp(deferral);
                }
            }
            if (judged) {
                for (var group : resting.due(around.fleet().takeKept()).values()) {
                    resume(group);
                }
            }
        }
    }

    /// Has those of a group that rest go on which are among the best by now. Should this worker end in between, another
    /// one looks, too.
    private void resume(List<Request> group) throws InterruptedException {
        Set<String> best;
        try {
            best = Set.copyOf(halving.goOn(group.stream().map(Request::job).toList()));
        } catch (CheckpointException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} cannot look which jobs of group={1} go on, and will try again: {2}",
                    rules.worker(),
                    group.getFirst().job().group(),
                    e.getMessage());
            return;
        }
        for (Request request : group) {
            if (best.contains(request.job().id())) {
                resting.resumed(request.job().id());
                resume(request);
            }
        }
    }

    /// That it waits for a worker again is told last: by the time that somebody does this anew, others may be better.
    private void resume(Request request) throws InterruptedException {
        String job = request.job().id();
        try {
            Resumed event = new Resumed(job, attempt(folder(job)));
            LOG.log(
                    System.Logger.Level.INFO,
                    "job={0} worker={1} publishes the command of attempt {2}, because the job is among the best of group={3}",
                    job,
                    rules.worker(),
                    request.attempt(),
                    request.job().group());
            await(publisher.publish(request));
            await(publisher.publish(Custody.waiting(request, rules.worker(), 1)));
            tell(event);
        } catch (CheckpointException | ExecutionException | TimeoutException e) {
            sayFailed(job, e);
        }
    }

    private void sayIfTooMany() {
        int overlooked = keeper.overlooked();
        if (overlooked > 0 && !toldTooMany) {
            toldTooMany = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} watches as many jobs as it may (TRAINYARD_WORKER_MAX_WATCHED); {1} more it does not",
                    rules.worker(),
                    overlooked);
        }
    }

    /// Anyone can write to a topic: what cannot be read says nothing.
    private void read(ConsumerRecord<String, byte[]> entry, boolean fresh) {
        String key = entry.key();
        Topic topic = topics.get(entry.topic());
        if (key == null || topic == null) {
            return;
        }
        byte[] body = entry.value();
        try {
            switch (topic) {
                case CUSTODY -> {
                    if (Deferred.isKey(key)) {
                        deferral(entry);
                    } else {
                        custody(
                                key,
                                body == null
                                        ? null
                                        : CustodyJson.read(
                                                body, rules.deferring().contract()));
                    }
                }
                case CONTROL -> control(key, body == null ? null : EventJson.readControl(body), fresh);
                case WORKERS -> {
                    if (body != null) {
                        heard(key, EventJson.readStatus(body));
                    }
                }
                case COMMANDS_HIGH, CPU_COMMANDS_HIGH, CUDA_COMMANDS_HIGH -> preemption.command(topic, entry);
                default -> {}
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} cannot read topic={1} partition={2} offset={3}: {4}",
                    rules.worker(),
                    entry.topic(),
                    entry.partition(),
                    entry.offset(),
                    e.getMessage());
        }
    }

    private void custody(String job, @Nullable Custody custody) {
        if (custody == null || custody.job().equals(job)) {
            changed(job);
            keeper.custody(job, custody);
            if (!rules.shares().isNone()) {
                around.fleet().custody(job, custody);
                shares.change();
            }
            changed(job);
            preemption.custody(job, custody);
        }
    }

    private void changed(String job) {
        String group = keeper.group(job);
        if (group != null) {
            resting.changed(group);
        }
    }

    private void deferral(ConsumerRecord<String, byte[]> entry) throws IOException {
        if (entry.value() == null) {
            deferrals.remove(entry.key());
            shares.remove(entry.key());
        } else if (!shares.park(entry)) {
            deferrals.add(Deferred.read(entry));
        }
    }

    private void control(String job, @Nullable Control control, boolean fresh) {
        if (control == null || control.job().equals(job)) {
            keeper.control(job, control, fresh);
            around.fleet().control(job, control);
            changed(job);
        }
    }

    private void heard(String worker, WorkerStatus status) {
        if (!status.worker().equals(worker)) {
            return;
        }
        stores.heard(status);
        preemption.heard(status);
        around.fleet().heard(status);
        deferrals.heard(worker, status.contract());
        if (status.stopping()) {
            keeper.left(worker);
        } else {
            keeper.heard(worker, status.held());
            if (worker.equals(rules.worker())) {
                shares.beat();
            }
        }
    }

    private void perform(Duty duty) throws InterruptedException {
        try {
            switch (duty) {
                case Duty.Republish republish -> republish(republish);
                case Duty.Cancel(String job) -> await(announcer.cancel(folder(job), null));
                case Duty.TellPaused(String job) -> {
                    JobFolder folder = folder(job);
                    tellIfOpen(
                            folder,
                            new Paused(
                                    job, attempt(folder), folder.checkpoints().lastStep()));
                }
                case Duty.TellResumed(String job) -> {
                    JobFolder folder = folder(job);
                    tellIfOpen(folder, new Resumed(job, attempt(folder)));
                }
            }
        } catch (CheckpointException | ExecutionException | TimeoutException e) {
            sayFailed(duty.job(), e);
        }
    }

    private void sayFailed(String job, Exception e) {
        LOG.log(
                System.Logger.Level.WARNING,
                "job={0} worker={1} could not see to the job, and will try again: {2}",
                job,
                rules.worker(),
                e.getMessage());
    }

    /// The dead letter first. A job that has its end meanwhile, as by somebody who cancelled it, needs none.
    private void giveUp(Deferral<Deferred> deferral) throws InterruptedException {
        try {
            var command = deferral.command().command();
            if (folder(Deferred.job(deferral.key())).outcome().isEmpty()) {
                await(publisher.deadLetter(
                        command,
                        "%s. The command was written for contract %d of commands, and no worker that understands it was heard for %d heartbeats of a worker; start workers of a version that understands it, or leave out what is newer, and submit it again"
                                .formatted(
                                        deferral.command().reason(),
                                        deferral.contract(),
                                        rules.deferring().beats())));
            }
            await(publisher.endDeferral(deferral.key()));
        } catch (CheckpointException | ExecutionException | TimeoutException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} could not give up {1}, and will try again: {2}",
                    rules.worker(),
                    deferral.key(),
                    e.getMessage());
        }
    }

    /// The command first, custody second: whoever ends in between leaves a copy too many, which is void.
    private void republish(Duty.Republish duty) throws InterruptedException, ExecutionException, TimeoutException {
        var request = duty.request();
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} publishes the command of attempt {2}, because {3}",
                duty.job(),
                rules.worker(),
                request.attempt(),
                duty.resumed() ? "the job is resumed" : "nobody who had the job is heard any more");
        if (duty.resumed()) {
            tell(new Resumed(duty.job(), attempt(folder(duty.job()))));
        }
        await(publisher.publish(request));
        await(publisher.publish(Custody.waiting(request, rules.worker(), duty.copies())));
    }

    private void tellIfOpen(JobFolder folder, TrainingEvent event)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (folder.outcome().isEmpty()) {
            tell(event);
        }
    }

    private void tell(TrainingEvent event) throws InterruptedException, ExecutionException, TimeoutException {
        await(publisher.publish(EventLine.of(event, around.host().now(), rules.worker()), null));
    }

    private JobFolder folder(String job) {
        return new JobFolder(around.store(), job);
    }

    private static int attempt(JobFolder folder) {
        return Math.max(1, folder.lastAttempt());
    }

    private void await(CompletableFuture<Void> said) throws InterruptedException, ExecutionException, TimeoutException {
        var _ = around.host().await(said, DUTY_TIMEOUT);
    }

    @Override
    public void close() {
        stop.request();
    }
}
