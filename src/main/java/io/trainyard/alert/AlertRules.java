package io.trainyard.alert;

import static java.util.Locale.ROOT;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// Creates alerts from records, and from missing records. If a record is read twice or late, the alert has the
/// same id and is sent once. The number of jobs and workers in memory is limited. Not thread-safe.
public final class AlertRules {
    private static final int MAX_JOBS = 10_000;
    private static final int MAX_WORKERS = 10_000;

    private final AlertSettings settings;
    private final long sinceMillis;
    private final Map<String, Run> runs = bounded(MAX_JOBS);
    private final Map<String, Long> workers = bounded(MAX_WORKERS);

    /// A running attempt.
    private static final class Run {
        private final int attempt;
        private final LossSpikes spikes;
        private long step;
        private long publishedMillis;
        private long receivedMillis;
        private long longestMillis;
        private boolean stalled;

        Run(int attempt, LossSpikes spikes) {
            this.attempt = attempt;
            this.spikes = spikes;
        }
    }

    /// @param sinceMillis older records give no alerts; Unix time in ms
    public AlertRules(AlertSettings settings, long sinceMillis) {
        this.settings = settings;
        this.sinceMillis = sinceMillis;
    }

    private static <V> Map<String, V> bounded(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > most;
            }
        };
    }

    /// Applies a record.
    ///
    /// @param nowMillis by this machine's clock, Unix time in ms
    public List<Alert> take(JobRecord jobRecord, long nowMillis) {
        List<Alert> found = new ArrayList<>();
        if (jobRecord.millis() >= sinceMillis) {
            switch (jobRecord) {
                case Requested _ -> {}
                case Rejected refusal ->
                    found.add(new Alert(
                            Rule.FAILED,
                            jobRecord.job() + "/rejected/" + refusal.command(),
                            jobRecord.millis(),
                            "the command of job %s was rejected: %s".formatted(jobRecord.job(), refusal.reason()),
                            Map.of("job", jobRecord.job(), "reason", refusal.reason())));
                case EventRecord happened -> take(happened, nowMillis, found);
            }
        }
        found.removeIf(alert -> !settings.rules().contains(alert.rule()));
        return found;
    }

    private void take(EventRecord jobRecord, long nowMillis, List<Alert> found) {
        String job = jobRecord.job();
        switch (jobRecord.event()) {
            case Claimed _, Started _, CheckpointSaved _, Resumed _ -> {}
            case StepLosses losses -> {
                Run run = received(jobRecord, nowMillis);
                if (run.attempt == losses.attempt()) {
                    take(losses, run, jobRecord.millis(), found);
                }
            }
            case EpochTested tested -> {
                var _ = received(jobRecord, nowMillis);
                look(tested, Threshold.TEST_LOSS, tested.step(), tested.testLoss(), jobRecord.millis(), found);
                Double accuracy = tested.testAccuracy();
                if (accuracy != null) {
                    look(tested, Threshold.TEST_ACCURACY, tested.step(), accuracy, jobRecord.millis(), found);
                }
            }
            case Finished finished -> {
                runs.remove(job);
                found.add(finished(finished, jobRecord.millis()));
            }
            case Failed failed -> {
                runs.remove(job);
                found.add(new Alert(
                        Rule.FAILED,
                        job,
                        jobRecord.millis(),
                        "job %s has failed: %s".formatted(job, failed.reason()),
                        data(failed, "reason", failed.reason())));
            }
            case Released _, Paused _, Cancelled _, TrainingEvent.Expanded _ -> runs.remove(job);
        }
    }

    /// Updates the run of a job that published an event.
    private Run received(EventRecord jobRecord, long nowMillis) {
        Run known = runs.get(jobRecord.job());
        int attempt = jobRecord.event().attempt();
        if (known != null && attempt < known.attempt) {
            return known; // an older attempt that does not know yet that it was superseded
        }
        Run run = known;
        if (run == null || run.attempt != attempt) {
            run = new Run(attempt, new LossSpikes(settings.spikeScore(), settings.spikeWindow()));
            runs.put(jobRecord.job(), run);
        } else {
            run.longestMillis = Math.max(run.longestMillis, jobRecord.millis() - run.publishedMillis);
        }
        run.publishedMillis = Math.max(run.publishedMillis, jobRecord.millis());
        run.receivedMillis = nowMillis;
        run.stalled = false;
        return run;
    }

    private void take(StepLosses losses, Run run, long millis, List<Alert> found) {
        for (int i = 0; i < losses.losses().length; i++) {
            long step = losses.firstStep() + i;
            if (step > run.step) { // else it was read before
                run.step = step;
                float loss = losses.losses()[i];
                look(losses, Threshold.TRAIN_LOSS, step, loss, millis, found);
                double median = run.spikes.median();
                OptionalDouble spike = run.spikes.take(loss);
                if (spike.isPresent()) {
                    found.add(new Alert(
                            Rule.SPIKE,
                            losses.job() + "/" + losses.attempt() + "/" + step,
                            millis,
                            String.format(
                                    ROOT,
                                    "job %s: the loss is %.4f at step %d, the median of the %d before is %.4f (robust z-score %.1f)",
                                    losses.job(),
                                    loss,
                                    step,
                                    settings.spikeWindow(),
                                    median,
                                    spike.getAsDouble()),
                            data(losses, "step", step, "loss", loss, "median", median, "score", spike.getAsDouble())));
                }
            }
        }
    }

    /// Each threshold gives one alert per job.
    private void look(TrainingEvent event, String metric, long step, double value, long millis, List<Alert> found) {
        for (Threshold threshold : settings.thresholds()) {
            if (threshold.metric().equals(metric) && threshold.isPassedBy(value)) {
                found.add(new Alert(
                        Rule.THRESHOLD,
                        event.job() + "/" + threshold.text(),
                        millis,
                        String.format(
                                ROOT,
                                "job %s: %s is %.4f at step %d, %s %s",
                                event.job(),
                                metric,
                                value,
                                step,
                                threshold.above() ? "above" : "below",
                                threshold.value()),
                        data(event, "metric", metric, "value", value, "threshold", threshold.text(), "step", step)));
            }
        }
    }

    /// Applies a heartbeat.
    ///
    /// @param millis its time, Unix time in ms
    public void take(WorkerStatus status, long millis) {
        if (status.stopping()) {
            workers.remove(status.worker());
        } else if (millis >= sinceMillis) {
            workers.merge(status.worker(), millis, Math::max);
        }
    }

    /// Checks for missing records.
    ///
    /// @param nowMillis the time up to which all records were read, Unix time in ms
    public List<Alert> look(long nowMillis) {
        List<Alert> found = new ArrayList<>();
        runs.forEach((job, run) -> {
            long silent = nowMillis - run.receivedMillis;
            if (!run.stalled
                    && silent >= settings.stallAfterMillis()
                    && silent >= settings.stallFactor() * run.longestMillis) {
                run.stalled = true;
                found.add(stalled(job, run, silent));
            }
        });
        workers.forEach((worker, millis) -> {
            if (nowMillis - millis > settings.lostAfterMillis()) {
                found.add(new Alert(
                        Rule.LOST,
                        worker + "/" + millis,
                        nowMillis,
                        "worker %s is lost: it has been silent for %d s".formatted(worker, (nowMillis - millis) / 1000),
                        Map.of("worker", worker, "lastSeenMillis", millis)));
            }
        });
        workers.values().removeIf(millis -> nowMillis - millis > settings.lostAfterMillis());
        found.removeIf(alert -> !settings.rules().contains(alert.rule()));
        return found;
    }

    private static Alert finished(Finished event, long millis) {
        Double accuracy = event.bestTestAccuracy();
        Double loss = event.bestTestLoss();
        Map<String, Object> data = data(event, "steps", event.steps());
        if (accuracy != null) {
            data.put("bestTestAccuracy", accuracy);
        } else if (loss != null) {
            data.put("bestTestLoss", loss);
        }
        return new Alert(
                Rule.FINISHED,
                event.job(),
                millis,
                "job %s has finished: %d steps, %s".formatted(event.job(), event.steps(), event.result()),
                data);
    }

    private static Alert stalled(String job, Run run, long silentMillis) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("job", job);
        data.put("attempt", run.attempt);
        data.put("step", run.step);
        data.put("silentMillis", silentMillis);
        data.put("longestSilenceBeforeMillis", run.longestMillis);
        return new Alert(
                Rule.STALLED,
                job + "/" + run.attempt + "/" + run.step,
                run.receivedMillis + silentMillis,
                String.format(
                        ROOT,
                        "job %s is stalled: no records for %.1f s after step %d; its longest pause before was %.1f s",
                        job,
                        silentMillis / 1e3,
                        run.step,
                        run.longestMillis / 1e3),
                data);
    }

    private static Map<String, Object> data(TrainingEvent event, Object... fields) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("job", event.job());
        data.put("attempt", event.attempt());
        for (int i = 0; i < fields.length; i += 2) {
            data.put((String) fields[i], fields[i + 1]);
        }
        return data;
    }
}
