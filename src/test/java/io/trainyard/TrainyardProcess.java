package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.condition.OS;

/// The packaged application as a user starts it: `./trainyard ...` in a separate process with its own working
/// directory and temporary files. Every wait is bounded ([Patience]), and [#close] kills the process.
public final class TrainyardProcess implements AutoCloseable {
    public static final Path LAUNCHER = Path.of("trainyard").toAbsolutePath();

    /// The name of the folder for temporary files in the working directory.
    public static final String TEMPORARY = "tmp";

    /// Commands that compute with vectors, which is slow without Java's optimizing compiler. The reference
    /// device uses no vectors.
    private static final List<String> COMPUTING = List.of("check-device", "demo", "predict", "train", "worker");

    private static final String PLAIN_DEVICE = "reference";

    /// For short-lived processes the optimizing compiler costs more than it gains. Measurements omit this
    /// option.
    private static final String QUICK_COMPILER = " -XX:TieredStopAtLevel=1";

    /// A background process starts with SIGINT ignored, and its children inherit that.
    private static final List<String> FRESH_SIGNALS =
            OS.LINUX.isCurrentOs() ? List.of("/usr/bin/env", "--default-signal=INT") : List.of();

    private final List<String> command;
    private final Process process;
    private final Text output;
    private final Text errors;

    private TrainyardProcess(List<String> command, Process process) {
        this.command = command;
        this.process = process;
        output = new Text(process.getInputStream());
        errors = new Text(process.getErrorStream());
    }

    /// Starts `./trainyard` with arguments.
    ///
    /// @param folder its working directory
    public static TrainyardProcess start(Path folder, String... arguments) {
        return start(
                folder,
                Stream.concat(Stream.of(LAUNCHER.toString()), Stream.of(arguments))
                        .toList());
    }

    /// Starts the launcher in another way: through a link or another command.
    public static TrainyardProcess start(Path folder, List<String> command) {
        try {
            Path temporary = Files.createDirectories(folder.resolve(TEMPORARY)).toAbsolutePath();
            List<String> all = new ArrayList<>(FRESH_SIGNALS);
            all.addAll(command);
            ProcessBuilder builder = new ProcessBuilder(all).directory(folder.toFile());
            builder.environment().put("TRAINYARD_BUILT", "true");
            builder.environment().put("TRAINYARD_KAFKA_TIMEOUT", Long.toString(Patience.LIMIT.toSeconds()));
            builder.environment()
                    .put("TRAINYARD_JAVA_OPTS", "-Xmx1g -Djava.io.tmpdir=" + temporary + compilers(command));
            Process process = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return new TrainyardProcess(command, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String compilers(List<String> command) {
        boolean computes = command.stream().anyMatch(COMPUTING::contains) && !command.contains(PLAIN_DEVICE);
        return computes || Boolean.getBoolean("as.shipped") ? "" : QUICK_COMPILER;
    }

    /// Starts it, and waits for its end.
    public static TrainyardProcess run(Path folder, String... arguments) {
        TrainyardProcess process = start(folder, arguments);
        var _ = process.exitStatus();
        return process;
    }

    public String output() {
        return output.toString();
    }

    /// Standard output so far, line by line.
    public List<String> lines() {
        return output().lines().toList();
    }

    public String errors() {
        return errors.toString();
    }

    public void type(String text) throws IOException {
        process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /// Waits until standard output has a match; fails at once if the process ends before.
    ///
    /// @return the first group of the match, or the whole match if there is no group
    public String await(String regex) {
        Pattern pattern = Pattern.compile(regex);
        try {
            return Patience.await("output that matches " + regex)
                    .pollInterval(Duration.ofMillis(20))
                    .until(
                            () -> {
                                boolean ended = !process.isAlive();
                                String found = find(pattern, ended ? output.whole() : output());
                                assertThat(ended && found.isEmpty())
                                        .as("%s ended without printing %s", this, regex)
                                        .isFalse();
                                return found;
                            },
                            found -> !found.isEmpty());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("%s has not printed %s".formatted(this, regex), e);
        }
    }

    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return !matcher.find() ? "" : matcher.groupCount() == 0 ? matcher.group() : matcher.group(1);
    }

    /// Waits for the end of the process and of its output.
    ///
    /// @return its exit status; 128 plus the signal's number after a signal
    public int exitStatus() {
        return exitStatus(Patience.LIMIT);
    }

    public int exitStatus(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(this + " has not ended within " + limit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
        var _ = output.whole();
        var _ = errors.whole();
        return process.exitValue();
    }

    /// The command line that all users of this machine can see, separated by spaces; the launcher's until Java
    /// has started.
    public String commandLine() throws IOException {
        assumeTrue(OS.LINUX.isCurrentOs(), "reads /proc, which only Linux has");
        return Files.readString(Path.of("/proc/%d/cmdline".formatted(process.pid())))
                .replace('\0', ' ');
    }

    /// The launcher's id; Java replaces the launcher in the same process.
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// SIGTERM, as Kubernetes sends it.
    public void terminate() {
        process.destroy();
    }

    /// SIGINT, as Ctrl-C sends it.
    public void interrupt() throws Exception {
        signal("INT");
    }

    /// SIGSTOP, until [#resume].
    public void freeze() throws Exception {
        signal("STOP");
    }

    /// SIGCONT.
    public void resume() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /// Whether the process is stopped, no matter which process sent the signal.
    public boolean isFrozen() {
        try {
            Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(process.pid())).start();
            return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).startsWith("T");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Completes with the time at which it ends.
    public CompletableFuture<Instant> ended() {
        return process.onExit().thenApply(_ -> Instant.now());
    }

    /// SIGKILL.
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        var _ = exitStatus();
    }

    /// The command and its output, for assertion messages.
    @Override
    public String toString() {
        Supplier<String> state = () -> process.isAlive() ? "running" : "ended with " + process.exitValue();
        return "%s (%s)%nstdout:%n%s%nstderr:%n%s%n"
                .formatted(String.join(" ", command), state.get(), output, errors());
    }

    /// The text of a pipe, read as it arrives.
    private static final class Text {
        private final StringBuilder text = new StringBuilder();
        private final Thread reader;

        Text(InputStream in) {
            reader = Thread.ofPlatform()
                    .daemon()
                    .start(() -> read(in)); // a platform thread, because a virtual one would block its carrier
        }

        private void read(InputStream in) {
            char[] buffer = new char[1 << 13];
            try (Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
                for (int read = reader.read(buffer); read >= 0; read = reader.read(buffer)) {
                    append(buffer, read);
                }
            } catch (IOException e) { // the process was killed
                append(e.toString().toCharArray(), e.toString().length());
            }
        }

        private synchronized void append(char[] buffer, int length) {
            text.append(buffer, 0, length);
        }

        /// Waits for the end of the stream.
        String whole() {
            try {
                if (!reader.join(Patience.LIMIT)) {
                    throw new AssertionError("the stream has no end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
            return toString();
        }

        @Override
        public synchronized String toString() {
            return text.toString();
        }
    }
}
