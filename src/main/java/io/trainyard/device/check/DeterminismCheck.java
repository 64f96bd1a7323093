package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

final class DeterminismCheck {
    private static final int STEPS = 20;

    private DeterminismCheck() {}

    /// A small network with all state that carries over between steps, and the built-in networks at sizes where
    /// devices split their work.
    static Map<String, Supplier<Workload>> workloads() {
        Map<String, Supplier<Workload>> workloads = new LinkedHashMap<>();
        workloads.put("momentum, augmentation, dropout and batch norm", CheckWorkload::eventful);
        workloads.put("tudui, batches of 64", () -> GeneratedImages.workload("tudui", 64, STEPS * 64, 100));
        workloads.put("lenet, batches of 4", () -> GeneratedImages.workload("lenet", 4, STEPS * 4, 100));
        workloads.put("resnet18-cifar, batches of 16", () -> GeneratedImages.workload("resnet18-cifar", 16, 32, 16));
        return workloads;
    }

    static CheckOutcome twice(Device device, Workload workload) {
        Map<String, String> first = bits(device, workload);
        Map<String, String> second = bits(device, workload);
        List<String> differing = new ArrayList<>();
        first.forEach((what, bits) -> {
            if (!bits.equals(second.get(what))) {
                differing.add(what);
            }
        });
        return differing.isEmpty()
                ? new CheckOutcome.Passed("the same bits in all %d tensors".formatted(first.size()))
                : new CheckOutcome.Failed("the second time gave other bits of " + String.join(", ", differing));
    }

    private static Map<String, String> bits(Device device, Workload workload) {
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            float[] losses = session.advance(workload.stepsPerEpoch());
            Map<String, String> bits = new TreeMap<>(Bits.of(session.save()));
            bits.put("losses", Arrays.toString(Bits.of(losses)));
            bits.put("probabilities", Arrays.toString(Bits.of(session.predict())));
            bits.put("test loss", Double.toHexString(session.evaluate().testLoss()));
            return bits;
        }
    }
}
