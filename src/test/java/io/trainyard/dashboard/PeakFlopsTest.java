package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeakFlopsTest {
    /// From the data sheets; values with sparsity are halved.
    @ParameterizedTest
    @CsvSource({
        "NVIDIA A100-SXM4-80GB,       FP32, 19.5",
        "NVIDIA A100 80GB PCIe,       TF32, 156",
        "NVIDIA A100-PCIE-40GB,       BF16, 312",
        "NVIDIA H100 80GB HBM3,       FP32, 67",
        "NVIDIA H100 80GB HBM3,       TF32, 494.5",
        "NVIDIA H100 PCIe,            BF16, 756.5",
        "NVIDIA H200,                 BF16, 989.5",
        "NVIDIA L4,                   TF32, 60",
        "NVIDIA L40S,                 BF16, 362.05",
        "Tesla T4,                    FP32, 8.1",
        "Tesla V100-SXM2-32GB,        FP32, 15.7",
        "NVIDIA GeForce RTX 4090,     BF16, 165.2",
    })
    void knowsGpusByTheDriversNames(String model, Precision precision, double teraflops) {
        assertThat(PeakFlops.of(model, precision, 1)).hasValue(teraflops * 1e12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AMD EPYC 7B13",
                "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
                "NVIDIA GeForce RTX 4090 D",
                "NVIDIA H100 80GB HBM3; NVIDIA H200",
                ""
            })
    void unknownDevicesHaveNoPeak(String model) {
        assertThat(PeakFlops.of(model, Precision.FP32, 1)).isEmpty();
    }

    @Test
    void gpusWithoutThePrecisionHaveNoPeakInIt() {
        assertThat(PeakFlops.of("Tesla T4", Precision.BF16, 1)).isEmpty();
        assertThat(PeakFlops.of("Tesla V100-SXM2-16GB", Precision.TF32, 1)).isEmpty();
    }

    @Test
    void severalGpusHaveThePeaksOfAll() {
        assertThat(PeakFlops.of("NVIDIA H200", Precision.FP32, 4)).hasValue(268e12);
    }
}
