package io.trainyard.device.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/// The kernels' CUDA C++, a program in one: what the files have in common stands first.
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
