package io.trainyard.device.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/// The CUDA C++ source of all kernels as one program; shared headers come first.
final class KernelSource {
    private static final List<String> FILES = List.of(
            "values.cuh",
            "windows.cuh",
            "norms.cuh",
            "batch.cu",
            "loss.cu",
            "bias.cu",
            "activation.cu",
            "norm.cu",
            "batch_norm.cu",
            "pooling.cu",
            "windows.cu",
            "averages.cu",
            "dropout.cu",
            "layout.cu",
            "optimizer.cu");

    private KernelSource() {}

    static String text() {
        return FILES.stream().map(KernelSource::read).collect(Collectors.joining("\n"));
    }

    private static String read(String file) {
        try (InputStream in = KernelSource.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("this build has no kernels %s; build it again".formatted(file));
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the kernels %s cannot be read".formatted(file), e);
        }
    }
}
