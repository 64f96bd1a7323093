package io.trainyard.dashboard;

import io.trainyard.alert.Alert;
import io.trainyard.alert.AlertFormat;
import io.trainyard.alert.AlertRules;
import io.trainyard.alert.AlertSender;
import io.trainyard.alert.AlertSettings;
import io.trainyard.alert.Rule;
import io.trainyard.alert.Signature;
import io.trainyard.alert.Threshold;
import io.trainyard.event.JobRecord;
import io.trainyard.event.WorkerStatus;
import io.trainyard.tracking.AlertQueue;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/// Applies the alert rules to the records that are read, and sends the alerts. Does nothing without a webhook
/// URL. Thread-safe.
@Singleton
class AlertWatch {
    private static final Logger LOG = Logger.getLogger(AlertWatch.class);

    /// Timeout of a webhook call.
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /// Missing records count only after the brokers and the store have been available for this time.
    private static final long SETTLED_MILLIS = 10_000;

    /// How long sent alerts are stored. Their records are not read again after that.
    private static final Duration REMEMBERED = Duration.ofDays(30);

    private final SourceStatus sources;
    private final int maxPending;
    private final AlertQueue queue;
    private final AlertFormat format;
    private final Optional<AlertRules> rules;
    private final Optional<AlertSender> sender;

    @Inject
    AlertWatch(TrackingStore store, SourceStatus sources, DashboardConfig config) {
        this(store, sources, config.alerts(), config.workerLostAfter());
    }

    AlertWatch(TrackingStore store, SourceStatus sources, DashboardConfig.Alerts wanted, Duration lostAfter) {
        this.sources = sources;
        queue = store.alerts();
        maxPending = wanted.maxPending();
        format = wanted.format();
        if (wanted.url().isPresent()) {
            wanted.format().requireSecret(wanted.secret());
            rules = Optional.of(new AlertRules(settings(wanted, lostAfter), queue.since(System.currentTimeMillis())));
            sender = Optional.of(new AlertSender(
                    queue, wanted.url().get(), wanted.secret().map(Signature::new), TIMEOUT, wanted.retryFor()));
        } else {
            rules = Optional.empty();
            sender = Optional.empty();
        }
    }

    private static AlertSettings settings(DashboardConfig.Alerts wanted, Duration lostAfter) {
        List<Threshold> thresholds = wanted.thresholds().orElse(List.of()).stream()
                .map(Threshold::read)
                .toList();
        Set<Rule> rules = EnumSet.noneOf(Rule.class);
        rules.addAll(wanted.rules());
        if (!thresholds.isEmpty()) {
            rules.add(Rule.THRESHOLD);
        }
        return new AlertSettings(
                rules,
                wanted.stallFactor(),
                wanted.stallAfter().toMillis(),
                wanted.spikeScore(),
                wanted.spikeWindow(),
                lostAfter.toMillis(),
                thresholds);
    }

    /// To be called before the records are stored in the history. After a crash between the two, the records
    /// are read again, and known alerts are not sent again.
    ///
    /// @throws io.trainyard.tracking.TrackingException if the store fails
    void take(Collection<JobRecord> jobRecords) {
        if (rules.isPresent()) {
            long now = System.currentTimeMillis();
            for (JobRecord one : jobRecords) {
                synchronized (this) {
                    keep(rules.get().take(one, now));
                }
            }
        }
    }

    synchronized void take(WorkerStatus status, long millis) {
        rules.ifPresent(known -> known.take(status, millis));
    }

    /// Checks for jobs without new records, if the dashboard is up to date with the topics.
    void look() {
        SourceStatus.State state = sources.state();
        long now = System.currentTimeMillis();
        boolean isReading = state.kafka().ok()
                && state.store().ok()
                && state.behindMillis() == 0
                && now - Math.max(state.kafka().sinceMillis(), state.store().sinceMillis()) > SETTLED_MILLIS;
        if (rules.isPresent() && isReading) {
            synchronized (this) {
                keep(rules.get().look(now));
            }
        }
    }

    private void keep(List<Alert> alerts) {
        for (Alert alert : alerts) {
            if (!queue.add(alert.id(), System.currentTimeMillis(), alert.body(format), maxPending)) {
                LOG.warnf("an alert is lost, because %d already wait to be sent: %s", maxPending, alert.sentence());
            }
        }
    }

    void send() {
        try {
            if (sender.isPresent()) {
                sender.get().send();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void forget(long nowMillis) {
        if (rules.isPresent()) {
            queue.forget(nowMillis - REMEMBERED.toMillis());
        }
    }

    void close() {
        sender.ifPresent(AlertSender::close);
    }
}
