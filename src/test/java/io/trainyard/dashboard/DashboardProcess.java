package io.trainyard.dashboard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// The packaged application, running `dashboard` as a process of its own.
final class DashboardProcess implements AutoCloseable {
    private static final String READY = "Dashboard: ";
    private static final long START_SECONDS = 60;

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> url = new CompletableFuture<>();

    DashboardProcess(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                Path.of("target", "quarkus-app", "quarkus-run.jar").toString(),
                "dashboard"));
        command.addAll(Arrays.asList(args));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                if (line.startsWith(READY)) {
                    url.complete(
                            line.substring(READY.length(), line.indexOf('/', READY.length() + "http://".length())));
                }
            }
            url.completeExceptionally(new IllegalStateException("it ended: " + lines));
        } catch (IOException e) {
            url.completeExceptionally(new UncheckedIOException(e));
        }
    }

    /// Waits until it listens; such as `http://localhost:40123`.
    String url() throws Exception {
        return url.get(START_SECONDS, TimeUnit.SECONDS);
    }

    /// What it has printed, on both streams.
    List<String> lines() {
        return lines;
    }

    /// Waits for the end.
    int exitStatus() throws InterruptedException {
        if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("still running: " + lines);
        }
        return process.exitValue();
    }

    /// Asks it to stop, as Ctrl+C and Kubernetes do.
    void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
