package io.trainyard.spec;

import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One job: the body of a command record. An evaluation has 0
/// epochs; its other training fields are ignored and not written.
///
/// @param id names the job everywhere: topics' key, checkpoints' folder
/// @param batchSize samples in a step; an epoch's last batch may be shorter
/// @param loss the function that training minimizes and tests measure
/// @param clipGradients gradient clipping; null: none
/// @param freeze patterns of names of parameters and layers that training does not change; null: none
/// @param freezeBatchNorm whether batch norms without trained parameters keep their running statistics; null: no
/// @param accumulateSteps number of batches for one step of the optimizer
/// @param ema the average of the weights that is tested and saved; null: the weights themselves
/// @param sampler how samples are drawn, instead of `shuffle`; null: each sample once
/// @param dropLast whether a shorter last batch of an epoch is dropped
/// @param seed seeds initial weights, order, augmentation and dropout as `torch.manual_seed` does
/// @param device the device; the first of `devices` if these are given
/// @param devices for data-parallel training, with a shard of each batch on each; null: `device` alone
/// @param precision of the computation; a device without it refuses the job
/// @param checkpointEveryEpochs epochs between checkpoints; the last epoch always has one
/// @param checkpointEverySteps steps of the job between additional checkpoints; null: none
/// @param checkpointEverySeconds seconds since the last checkpoint until an additional one; null: none
/// @param keepLast number of newest checkpoints to keep; null: all
/// @param keepBest whether the best checkpoint is also kept
/// @param metric what decides which test is best; null: accuracy, for regression loss
/// @param reportEverySteps steps between log lines; events always include every step
/// @param stopWhen conditions to end the job before its last epoch
/// @param kind train or evaluate
/// @param initFrom the checkpoint with the initial weights or the weights to evaluate; null: random weights
/// @param except patterns of names of parameters and layers that keep their random weights; null: none
/// @param continueFrom the checkpoint of another job whose training goes on up to `epochs`; null: none
/// @param project the project that the job's use of the fleet is charged to; null: [#DEFAULT_PROJECT]
/// @param preemptible whether jobs of higher priority may preempt it
/// @param group the group of jobs it belongs to; for trials the sweep's id; null: none
/// @param sweep the fields to vary: the job is then a template for many jobs; null: a single job
/// @param random number of random draws of the sweep; null: all combinations
/// @param asha successive halving within its group; null: none
@JsonSerialize(using = JobSpecSerializer.class)
public record JobSpec(
        @Required("id") String id,
        @Required("network") NetworkSpec network,
        @Required("dataset") DatasetSpec dataset,
        @Required(value = "epochs", ofTraining = true) int epochs,
        @Default("64") int batchSize,
        @Default("{'type': 'crossEntropy'}") LossSpec loss,
        @Default("{'type': 'sgd', 'learningRate': 0.01}") OptimizerSpec optimizer,
        @Default("{'type': 'constant'}") ScheduleSpec schedule,
        @Nullable List<String> freeze,
        @Nullable Boolean freezeBatchNorm,
        @Nullable ClipSpec clipGradients,
        @Default("1") int accumulateSteps,
        @Nullable EmaSpec ema,
        boolean shuffle,
        @Nullable Sampler sampler,
        boolean dropLast,
        long seed,
        @Default("'auto'") DeviceSpec device,
        @Nullable List<DeviceSpec> devices,
        @Default("'fp32'") Precision precision,
        @Default("1") int checkpointEveryEpochs,
        @Nullable Integer checkpointEverySteps,
        @Nullable Integer checkpointEverySeconds,
        @Nullable Integer keepLast,
        boolean keepBest,
        @Nullable Metric metric,
        @Default("100") int reportEverySteps,
        @Nullable StopWhen stopWhen,
        @Default("'train'") JobKind kind,
        @Nullable CheckpointName initFrom,
        @Nullable List<String> except,
        @Nullable CheckpointName continueFrom,
        @Nullable String project,
        @Default("true") boolean preemptible,
        @Nullable String group,
        @Nullable SweepSpec sweep,
        @Nullable Integer random,
        @Nullable AshaSpec asha) {
    /// The project of jobs without `project`.
    public static final String DEFAULT_PROJECT = "default";

    /// A job's id, as a regular expression. The limit of 100 characters is checked separately.
    static final String ID = "[A-Za-z0-9][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*";

    public JobSpec {
        requireId("id", id);
        switch (kind) {
            case TRAIN -> Check.between("epochs", epochs, 1, JobLimits.MAX_EPOCHS);
            case EVALUATE -> {
                Check.between("epochs", epochs, 0, 0);
                if (initFrom == null) {
                    throw new InvalidJobException(
                            "initFrom is missing; a job that evaluates needs the checkpoint to load, such as \"tudui-1\" or \"tudui-1/7820\"");
                }
            }
        }
        Check.between("batchSize", batchSize, 1, JobLimits.MAX_BATCH_SIZE);
        Check.between("accumulateSteps", accumulateSteps, 1, 10_000);
        freezeBatchNorm = Boolean.TRUE.equals(freezeBatchNorm) ? freezeBatchNorm : null;
        if (freeze != null) {
            freeze = NamePatterns.check("freeze", freeze);
        } else if (freezeBatchNorm != null) {
            throw new InvalidJobException(
                    "freezeBatchNorm is true, but freeze is missing; name the frozen parameters, such as \"freeze\": [\"layer1.*\"]");
        }
        if (devices != null) {
            devices = DeviceSpec.several("devices", devices);
            device = devices.getFirst();
        }
        if (schedule.cyclesMomentum() && !optimizer.hasMomentum()) {
            throw new InvalidJobException(
                    "schedule.cycleMomentum is true, but optimizer.momentum is 0.0; give the optimizer a momentum above 0, such as 0.9, whose place the schedule's takes, or choose adam or adamw");
        }
        Check.between("checkpointEveryEpochs", checkpointEveryEpochs, 1, 100_000);
        Check.unlessNull("checkpointEverySteps", checkpointEverySteps, 1, 1_000_000_000);
        Check.unlessNull("checkpointEverySeconds", checkpointEverySeconds, 1, 1_000_000);
        Check.unlessNull("keepLast", keepLast, 1, 100_000);
        Check.between("reportEverySteps", reportEverySteps, 1, 1_000_000_000);
        if (loss.isRegression() && stopWhen != null && stopWhen.testAccuracyAtLeast() != null) {
            throw new InvalidJobException(
                    "stopWhen.testAccuracyAtLeast is %s, but the loss is mse: predicted numbers have no accuracy; use noImprovementEpochs, which then compares the test loss, or maxMinutes"
                            .formatted(stopWhen.testAccuracyAtLeast()));
        }
        if (sampler != null && (shuffle || loss.isRegression())) {
            throw new InvalidJobException(
                    "sampler is balanced, but %s"
                            .formatted(
                                    shuffle
                                            ? "shuffle is true, and the sampler draws an order already; leave out shuffle or sampler"
                                            : "the loss is mse: numbers to predict have no classes to balance; leave sampler out"));
        }
        if (dataset.standardizeTargets() != null && !loss.isRegression()) {
            throw new InvalidJobException(
                    "dataset.standardizeTargets is true, but the loss is crossEntropy: classes have no mean; leave it out, or predict numbers with \"loss\": {\"type\": \"mse\"}");
        }
        if (loss.isRegression() && metric != null && metric != Metric.LOSS) {
            throw new InvalidJobException(
                    "metric is \"%s\", but the loss is mse: predicted numbers have no classes; allowed is \"loss\", or leave it out"
                            .formatted(metric));
        }
        metric = metric == Metric.usual(loss.isRegression()) ? null : metric;
        if (project != null) {
            requireProject("project", project);
            project = project.equals(DEFAULT_PROJECT) ? null : project;
        }
        if (initFrom != null && initFrom.job().equals(id)) {
            throw new InvalidJobException(
                    "initFrom is \"%s\", the job's own id; name another job's checkpoint; a job resumes from its own without initFrom"
                            .formatted(initFrom));
        }
        if (except != null) {
            except = NamePatterns.check("except", except);
            if (initFrom == null) {
                throw new InvalidJobException(
                        "except is given, but initFrom is missing; name the checkpoint whose other parameters are loaded, or leave except out");
            }
        }
        if (continueFrom != null
                && (initFrom != null
                        || continueFrom.isFile()
                        || continueFrom.job().equals(id))) {
            throw new InvalidJobException(
                    "continueFrom is \"%s\"; allowed is the checkpoint of another job, such as \"tudui-1\", without initFrom"
                            .formatted(continueFrom));
        }
        requireGroup(group, sweep, random, asha);
    }

    /// Which parameters keep their random weights.
    ///
    /// @param known the parameters of the network and of the checkpoint
    /// @throws InvalidJobException if a pattern matches none of them
    public Predicate<String> keepsRandom(List<ParameterSpec> known) {
        return except == null ? _ -> false : NamePatterns.of("except", except, known)::match;
    }

    private static void requireId(String field, String id) {
        Check.matching(
                field,
                id,
                "(?=.{1,100}$)" + ID,
                "1 to 100 letters, digits, hyphens, underscores and single dots between them, beginning with a letter or digit");
    }

    private static void requireGroup(
            @Nullable String group, @Nullable SweepSpec sweep, @Nullable Integer random, @Nullable AshaSpec asha) {
        Check.unlessNull("random", random, 1, JobLimits.MAX_TRIALS);
        if (group != null) {
            requireId("group", group);
        }
        if (sweep != null && group != null) {
            throw new InvalidJobException(
                    "group is \"%s\", but the group of a sweep's trials is the sweep's id; leave it out"
                            .formatted(group));
        }
        if (sweep == null && random != null) {
            throw new InvalidJobException(
                    "random is %d, but there is no sweep to draw from; give it one, or leave random out"
                            .formatted(random));
        }
        if (sweep != null && random == null && sweep.hasRanges()) {
            throw new InvalidJobException(
                    "random is missing, and sweep.%s is a range; set it to the number of trials, or give lists of values"
                            .formatted(sweep.firstRange()));
        }
        if (asha != null && sweep == null && group == null) {
            throw new InvalidJobException(
                    "asha is given, but neither sweep nor group: a single job has none to be compared with; leave it out");
        }
    }

    /// @param field name for messages
    /// @throws InvalidJobException if this is not a project name
    public static void requireProject(String field, String name) {
        var _ = Check.matching(
                field,
                name,
                "(?=.{1,63}$)" + ID,
                "1 to 63 letters, digits, hyphens, underscores and single dots between them, beginning with a letter or digit");
    }

    /// Decides which test is best.
    public Metric decidingMetric() {
        return metric == null ? Metric.usual(loss.isRegression()) : metric;
    }

    public String projectName() {
        return project == null ? DEFAULT_PROJECT : project;
    }

    static boolean isId(String id) {
        return id.matches("(?=.{1,100}$)" + ID);
    }

    /// The settings of the training loop.
    public LoopSpec loop() {
        return new LoopSpec(dropLast, accumulateSteps, clipGradients, ema);
    }

    /// The settings of the parameter updates.
    public UpdateSpec update() {
        return new UpdateSpec(optimizer, loop());
    }

    /// One device, or several of one kind.
    public List<DeviceSpec> allDevices() {
        return devices == null ? List.of(device) : devices;
    }
}
