package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackedSteps.Trained;
import io.trainyard.device.StackingDevice;
import io.trainyard.device.Workload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.OptimizerSpec.Adam;
import io.trainyard.spec.OptimizerSpec.AdamW;
import io.trainyard.spec.OptimizerSpec.Rmsprop;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Jobs that differ in numbers only, trained as one program, have the bits that each has by itself.
public final class StackCheck {
    private static final int STEPS = 10;

    private StackCheck() {}

    /// A small network with each optimizer and each loop, which processors stack, and one that only GPUs do.
    private static Map<String, Workload> workloads() {
        Map<String, Workload> workloads = new LinkedHashMap<>();
        CheckWorkload.optimizers()
                .forEach(optimizer -> workloads.put(optimizer.toString(), CheckWorkload.with(eventful(), optimizer)));
        CheckWorkload.loops()
                .forEach(loop -> workloads.put(loop.toString(), eventful().withLoop(loop)));
        workloads.put("lenet, batches of 4", GeneratedImages.workload("lenet", 4, STEPS * 4, 100));
        return workloads;
    }

    private static Workload eventful() {
        return CheckWorkload.augmented(withoutBatchNorm(), new AugmentSpec(null, new HorizontalFlip(0.5), null));
    }

    /// For sessions that have no kernel for batch norm: where [CheckWorkload#eventful] has one, a convolution stands.
    /// The last batch of an epoch has 3 samples, and the test set 2 batches.
    public static Workload withoutBatchNorm() {
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 3, 1, 1, true),
                Layers.conv(5, 3, 1, 1, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.dropout(0.25),
                Layers.flatten(),
                Layers.linear(10, true),
                Layers.dropout(0.5),
                Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(2, 8, 7), 3, layers, CheckWorkload.MOMENTUM, 4, 19, 6);
    }

    /// A job that differs in numbers only.
    ///
    /// @param job which, from 0 on
    public static Workload numbers(Workload workload, int job) {
        double part = (1 + job % 16) / 16.0; // of what is there
        return CheckWorkload.with(workload, numbers(workload.optimizer(), job, part))
                .withLoop(numbers(workload.loop(), part));
    }

    private static LoopSpec numbers(LoopSpec loop, double part) {
        ClipSpec clip = loop.clip();
        EmaSpec ema = loop.ema();
        return new LoopSpec(
                loop.dropLast(),
                loop.accumulateSteps(),
                clip == null ? null : new ClipSpec(times(clip.norm(), part), times(clip.value(), part)),
                ema == null ? null : new EmaSpec(ema.decay() * part));
    }

    private static @Nullable Double times(@Nullable Double number, double part) {
        return number == null ? null : number * part;
    }

    private static OptimizerSpec numbers(OptimizerSpec optimizer, int job, double part) {
        double rate = optimizer.learningRate() * part;
        double decay = job % 2 == 0 ? 0 : 0.01 * part;
        return switch (optimizer) {
            case Sgd sgd -> new Sgd(rate, sgd.momentum() * part, sgd.dampening(), sgd.nesterov(), decay);
            case Adam adam ->
                new Adam(rate, 0.3 + 0.6 * part, adam.beta2() * part, adam.epsilon(), decay, adam.amsgrad());
            case AdamW adam ->
                new AdamW(rate, 0.3 + 0.6 * part, adam.beta2() * part, adam.epsilon(), decay, adam.amsgrad());
            case Rmsprop rmsprop ->
                new Rmsprop(
                        rate,
                        rmsprop.alpha() * part,
                        rmsprop.epsilon(),
                        rmsprop.momentum() * part,
                        rmsprop.centered(),
                        decay);
        };
    }

    /// Of what the device trains as one program in that precision.
    static List<DeviceCheck> of(StackingDevice device, Precision precision) {
        List<DeviceCheck> checks = new ArrayList<>();
        workloads().forEach((name, workload) -> {
            Workload example = CheckWorkload.in(precision, workload);
            if (device.program(example).isPresent()) {
                checks.add(new DeviceCheck(
                        CheckGroup.STACKS, "%s, %s".formatted(precision, name), () -> together(device, example)));
            }
        });
        return checks;
    }

    /// Where there is nothing of that.
    static DeviceCheck none(Device device, Precision precision) {
        return new DeviceCheck(
                CheckGroup.STACKS,
                precision.toString(),
                () -> new CheckOutcome.Skipped("device %s trains all jobs in it one by one"
                        .formatted(device.info().name())));
    }

    /// A job in each place of a stack.
    private static CheckOutcome together(StackingDevice device, Workload example) {
        List<Workload> jobs = new ArrayList<>();
        for (int job = 0; job < device.stackRoom().places(); job++) {
            jobs.add(device.stackable(numbers(example, job)));
        }
        List<Map<String, String>> together = together(device, jobs);
        for (int job = 0; job < jobs.size(); job++) {
            Map<String, String> stacked = together.get(job);
            List<String> differing = new ArrayList<>();
            alone(device, jobs.get(job), job).forEach((what, bits) -> {
                if (!bits.equals(stacked.get(what))) {
                    differing.add(what);
                }
            });
            if (!differing.isEmpty()) {
                return new CheckOutcome.Failed("job %d of %d has other bits than by itself: %s"
                        .formatted(job + 1, jobs.size(), String.join(", ", differing)));
            }
        }
        return new CheckOutcome.Passed("the same bits as by itself in each of %d jobs".formatted(jobs.size()));
    }

    private static List<Map<String, String>> together(StackingDevice device, List<Workload> jobs) {
        List<@Nullable LearningSession> sessions = new ArrayList<>();
        try (StackedSteps stack = device.stack(jobs.getFirst())) {
            for (int job = 0; job < jobs.size(); job++) {
                sessions.add(begun(device, jobs.get(job), job));
            }
            List<@Nullable Trained> trained = stack.advance(sessions, fullSteps(jobs.getFirst()));
            List<Map<String, String>> bits = new ArrayList<>();
            for (int job = 0; job < jobs.size(); job++) {
                stack.release(job);
                bits.add(
                        switch (trained.get(job)) {
                            case null -> throw new IllegalStateException("nothing came of job " + job);
                            case Trained.Steps(float[] losses) -> bits(sessions.get(job), losses);
                            case Trained.Failed(RuntimeException cause) -> throw cause;
                        });
            }
            return bits;
        } finally {
            for (LearningSession session : sessions) {
                if (session != null) {
                    session.close();
                }
            }
        }
    }

    private static Map<String, String> alone(StackingDevice device, Workload workload, int job) {
        try (LearningSession session = begun(device, workload, job)) {
            return bits(session, session.advance(fullSteps(workload)));
        }
    }

    /// A stack takes no smaller batch.
    private static int fullSteps(Workload workload) {
        return workload.dataset().train().size() / workload.batchSize();
    }

    private static LearningSession begun(StackingDevice device, Workload workload, int job) {
        LearningSession session = device.open(workload);
        session.load(CheckWorkload.state(workload, job));
        session.beginEpoch(CheckWorkload.plan(workload, job), 0);
        return session;
    }

    /// Of all that a session has learnt, under its name.
    private static Map<String, String> bits(@Nullable LearningSession session, float[] losses) {
        if (session == null) {
            throw new IllegalStateException("a job has no session");
        }
        Map<String, String> bits = new TreeMap<>(Bits.of(session.save()));
        bits.put("losses", Arrays.toString(Bits.of(losses)));
        return bits;
    }
}
