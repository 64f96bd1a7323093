import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.stack.Stacks;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/// Images a second of many jobs that differ in their learning rate and seed, by sessions of the device `cpu`: one job after another,
/// each with the threads that the device chooses; all at once on a thread each, as slots have them; all at once in stacks, where
/// these pay. Rounds take turns; the medians are compared.
///
///     java @src/main/jvm/flags --add-modules jdk.incubator.vector -cp 'CLASSES:JARS' bench/stacks/ManyModels.java lenet 4 32 5
///
/// with the network (`lenet`, `fashion`, `digits`, `digits-conv`), the batch, the number of jobs and of rounds.
final class ManyModels {
    private static final int TRAINS = 8_000;
    private static final double SECONDS = 3;
    private static final int BLOCK = 1000; // steps: a tenth of a second, as trainers do, or what an epoch has

    private static Workload workload(String name, int batch) {
        Shape input = name.equals("lenet") ? Shape.of(3, 32, 32) : name.equals("fashion") ? Shape.of(1, 28, 28) : Shape.of(1, 8, 8);
        byte[] pixels = new byte[TRAINS * input.elements()];
        new Random(1).nextBytes(pixels);
        byte[] labels = new byte[TRAINS];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = (byte) (i % 10);
        }
        Dataset.Split split = new Dataset.Split(pixels, labels);
        NetworkSpec network = switch (name) {
            case "digits" -> NetworkSpec.ofLayers(List.of(new LayerSpec.Flatten(null), new LayerSpec.Linear(null, 32, true),
                    new ActivationFunction.Relu(null), new LayerSpec.Linear(null, 10, true)));
            case "digits-conv" -> NetworkSpec.ofLayers(List.of(new Conv2d(null, 8, 3, 1, 0, true), new ActivationFunction.Relu(null),
                    new Pooling.MaxPool2d(null, 2, 2), new LayerSpec.Flatten(null), new LayerSpec.Linear(null, 10, true)));
            default -> NetworkSpec.named(name);
        };
        return new Workload(Network.fit(network, input, 10), new OptimizerSpec.Sgd(0.001, 0.9, 0), batch,
                new Dataset("random", input, 10, split, split), PixelScale.of(input, null), AugmentSpec.NONE, Precision.FP32, 0);
    }

    /// Steps that a job takes until `over`.
    private static long train(LearningSession session, Workload workload, int seed, AtomicBoolean over) {
        int steps = TRAINS / workload.batchSize();
        double[] rates = new double[workload.stepsPerEpoch()];
        Arrays.fill(rates, 0.0001 * (1 + seed));
        long taken = 0;
        for (int epoch = 0; !over.get(); epoch++) {
            session.beginEpoch(new EpochPlan(TorchRandom.permutation(seed + 100L * epoch, TRAINS), rates, new TorchRandom(seed)), 0);
            for (int at = 0; at < steps && !over.get(); at += BLOCK) {
                int block = Math.min(BLOCK, steps - at);
                session.advance(block);
                taken += block;
            }
        }
        return taken;
    }

    private static LearningSession open(Device device, Workload workload, int seed) {
        LearningSession session = device.open(workload);
        session.load(new SessionState(Initializer.initial(workload.network(), new TorchRandom(seed)), Parameters.NONE));
        return session;
    }

    /// Images a second of `jobs` jobs at once.
    private static double measure(Device device, Workload workload, int jobs) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CyclicBarrier begun = new CyclicBarrier(jobs + 1);
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            int seed = i;
            tasks.add(() -> {
                try (LearningSession session = open(device, workload, seed)) {
                    begun.await();
                    return train(session, workload, seed, over);
                }
            });
        }
        try (var threads = Executors.newFixedThreadPool(jobs)) {
            var results = tasks.stream().map(threads::submit).toList();
            begun.await();
            long begin = System.nanoTime();
            Thread.sleep((long) (SECONDS * 1000));
            over.set(true);
            long steps = 0;
            for (var result : results) {
                steps += result.get();
            }
            return steps * workload.batchSize() / ((System.nanoTime() - begin) / 1e9);
        }
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    public static void main(String[] arguments) throws Exception {
        Workload workload = workload(arguments[0], Integer.parseInt(arguments[1]));
        int jobs = Integer.parseInt(arguments[2]);
        Device device = Devices.open(new DeviceSpec("cpu"));
        Device stacked = new Stacks().over(device);
        List<Double> after = new ArrayList<>();
        List<Double> slots = new ArrayList<>();
        List<Double> stacks = new ArrayList<>();
        for (int round = 0; round <= Integer.parseInt(arguments[3]); round++) {
            double one = measure(device, workload, 1);
            double many = measure(device, workload.withThreads(1), jobs);
            double together = measure(stacked, workload, jobs);
            if (round > 0) { // Java compiles in the first
                after.add(one);
                slots.add(many);
                stacks.add(together);
            }
        }
        System.out.printf("%s, batch %d, %d jobs: images/s one after another %.0f, on a thread each %.0f, stacked %.0f; "
                        + "stacked / one after another %.2f, stacked / a thread each %.2f%n", arguments[0], workload.batchSize(), jobs,
                median(after), median(slots), median(stacks), median(stacks) / median(after), median(stacks) / median(slots));
    }
}
