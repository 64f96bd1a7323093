package io.trainyard.dashboard;

import io.trainyard.spec.Precision;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The peak floating-point operations per second of GPUs, from NVIDIA's data sheets, by the name that the
/// driver reports. Dense rates: half of a rate that a data sheet gives for sparse weights. The fp32 rate is the
/// one without tensor cores because fp32 jobs do not use them.
///
/// Names must match as a whole: a part of a GPU (MIG) or a variant with other clocks has another peak.
enum PeakFlops {
    V100_PCIE(14, null, null, "Tesla V100-PCIE-16GB", "Tesla V100-PCIE-32GB"),
    V100_SXM2(15.7, null, null, "Tesla V100-SXM2-16GB", "Tesla V100-SXM2-32GB"),
    V100S(16.4, null, null, "Tesla V100S-PCIE-32GB"),
    T4(8.1, null, null, "Tesla T4", "NVIDIA T4"),
    A100(
            19.5,
            156.0,
            312.0,
            "NVIDIA A100-SXM4-40GB",
            "NVIDIA A100-SXM4-80GB",
            "NVIDIA A100-PCIE-40GB",
            "NVIDIA A100-PCIE-80GB",
            "NVIDIA A100 80GB PCIe",
            "A100-SXM4-40GB",
            "A100-SXM4-80GB",
            "A100-PCIE-40GB"),
    L4(30.3, 60.0, 121.0, "NVIDIA L4"),
    L40S(91.6, 183.0, 362.05, "NVIDIA L40S"),
    RTX_4090(82.6, 82.6, 165.2, "NVIDIA GeForce RTX 4090"),
    H100_PCIE(51, 378.0, 756.5, "NVIDIA H100 PCIe"),
    H100_NVL(60, 417.5, 835.5, "NVIDIA H100 NVL"),
    H100_SXM(67, 494.5, 989.5, "NVIDIA H100 80GB HBM3"),
    H200_NVL(60, 417.5, 835.5, "NVIDIA H200 NVL"),
    H200_SXM(67, 494.5, 989.5, "NVIDIA H200");

    private static final double TERA = 1e12;
    private static final Map<String, PeakFlops> BY_NAME = new HashMap<>();

    static {
        for (PeakFlops gpu : values()) {
            Arrays.stream(gpu.names).forEach(name -> BY_NAME.put(name, gpu));
        }
    }

    private final double fp32;
    private final @Nullable Double tf32; // null without tensor cores for TF32
    private final @Nullable Double bf16;
    private final String[] names;

    /// @param fp32 in teraflops, like the other rates
    PeakFlops(double fp32, @Nullable Double tf32, @Nullable Double bf16, String... names) {
        this.fp32 = fp32;
        this.tf32 = tf32;
        this.bf16 = bf16;
        this.names = names;
    }

    /// @param model the device's name in the start event
    /// @param devices the number of devices
    /// @return operations per second of all devices together; empty if unknown
    static Optional<Double> of(String model, Precision precision, int devices) {
        return Optional.ofNullable(BY_NAME.get(model))
                .flatMap(gpu -> gpu.teraflops(precision))
                .map(teraflops -> teraflops * TERA * devices);
    }

    private Optional<Double> teraflops(Precision precision) {
        return switch (precision) {
            case FP32 -> Optional.of(fp32);
            case TF32 -> Optional.ofNullable(tf32);
            case BF16 -> Optional.ofNullable(bf16);
        };
    }
}
