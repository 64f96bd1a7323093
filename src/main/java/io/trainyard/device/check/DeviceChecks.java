package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

public final class DeviceChecks {
    private DeviceChecks() {}

    /// The checks of the groups, in order, in each precision that the device supports.
    public static List<DeviceCheck> of(Device device, Collection<CheckGroup> groups) {
        return of(device, groups, EnumSet.allOf(Precision.class));
    }

    /// @param wanted precisions; those that the device does not support are skipped. Losses, optimizers and
    ///     memory are always checked in float32
    public static List<DeviceCheck> of(Device device, Collection<CheckGroup> groups, Set<Precision> wanted) {
        List<DeviceCheck> checks = new ArrayList<>();
        for (CheckGroup group : CheckGroup.values()) {
            if (groups.contains(group)) {
                switch (group) {
                    case LAYERS -> checks.addAll(layers(device, precisions(device, wanted)));
                    case DIVERGENCE -> checks.addAll(divergence(device, precisions(device, wanted)));
                    case LOSSES -> checks.addAll(losses(device));
                    case OPTIMIZERS -> checks.addAll(optimizers(device));
                    case GOLDEN -> checks.addAll(golden(device, precisions(device, wanted)));
                    case DETERMINISM -> checks.addAll(determinism(device, precisions(device, wanted)));
                    case MEMORY -> checks.add(MemoryCheck.ofTudui(device));
                    case BENCHMARK, SWEEP -> {} // nothing to pass: see Benchmark
                }
            }
        }
        return checks;
    }

    private static List<Precision> precisions(Device device, Set<Precision> wanted) {
        return device.precisions().stream().filter(wanted::contains).sorted().toList();
    }

    private static List<DeviceCheck> layers(Device device, List<Precision> precisions) {
        List<DeviceCheck> checks = new ArrayList<>();
        for (Precision precision : precisions) {
            for (LayerCase row : LayerCases.all()) {
                checks.add(LayerCheck.training(device, precision, row));
                checks.add(LayerCheck.gradients(device, precision, row));
            }
        }
        lacking(device)
                .forEach(precision -> checks.add(new DeviceCheck(
                        CheckGroup.LAYERS,
                        precision.toString(),
                        () -> new CheckOutcome.Skipped("other devices of the kind compute in it, %s does not: it has %s"
                                .formatted(device.info().name(), device.precisions())))));
        return checks;
    }

    /// Precisions that only other devices of its kind support.
    private static Stream<Precision> lacking(Device device) {
        return Devices.backends().stream()
                .filter(backend -> device.info().name().split(":")[0].equals(backend.kind()))
                .flatMap(backend -> backend.precisions().stream())
                .filter(precision -> !device.precisions().contains(precision));
    }

    private static List<DeviceCheck> divergence(Device device, List<Precision> precisions) {
        List<DeviceCheck> checks = new ArrayList<>();
        for (Precision precision : precisions) {
            for (NonFiniteCase row : NonFiniteCases.all()) {
                checks.add(new DeviceCheck(
                        CheckGroup.DIVERGENCE,
                        "%s, %s".formatted(precision, row),
                        () -> CheckOutcome.of(ReferenceComparison.nonFinite(device, precision, row))));
            }
        }
        return checks;
    }

    private static List<DeviceCheck> losses(Device device) {
        List<DeviceCheck> checks = new ArrayList<>();
        for (LossSpec loss : CheckWorkload.losses()) {
            checks.add(new DeviceCheck(
                    CheckGroup.LOSSES,
                    loss.toString(),
                    () -> CheckOutcome.of(ReferenceComparison.training(
                            device, CheckWorkload.learning(loss, CheckWorkload.eventful())))));
        }
        return checks;
    }

    private static List<DeviceCheck> optimizers(Device device) {
        List<DeviceCheck> checks = new ArrayList<>();
        for (OptimizerSpec optimizer : CheckWorkload.optimizers()) {
            checks.add(new DeviceCheck(
                    CheckGroup.OPTIMIZERS,
                    optimizer.toString(),
                    () -> CheckOutcome.of(ReferenceComparison.training(
                            device, CheckWorkload.eventful().withOptimizer(optimizer)))));
        }
        for (LoopSpec loop : CheckWorkload.loops()) {
            checks.add(new DeviceCheck(
                    CheckGroup.OPTIMIZERS,
                    loop.toString(),
                    () -> CheckOutcome.of(ReferenceComparison.training(
                            device, CheckWorkload.eventful().withLoop(loop)))));
        }
        return checks;
    }

    private static List<DeviceCheck> golden(Device device, List<Precision> precisions) {
        return precisions.stream()
                .map(precision -> new DeviceCheck(
                        CheckGroup.GOLDEN,
                        "%s, %d steps of tudui beside PyTorch's".formatted(precision, GoldenRun.STEPS),
                        () -> CheckOutcome.of(GoldenRun.compare(device, precision))))
                .toList();
    }

    private static List<DeviceCheck> determinism(Device device, List<Precision> precisions) {
        List<DeviceCheck> checks = new ArrayList<>();
        for (Precision precision : precisions) {
            DeterminismCheck.workloads()
                    .forEach((name, workload) -> checks.add(new DeviceCheck(
                            CheckGroup.DETERMINISM,
                            "%s, %s twice".formatted(precision, name),
                            () -> DeterminismCheck.twice(device, workload.get().withPrecision(precision)))));
        }
        return checks;
    }
}
