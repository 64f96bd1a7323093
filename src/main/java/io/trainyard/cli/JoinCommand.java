package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.device.Devices;
import io.trainyard.device.PartLostException;
import io.trainyard.device.gang.GangSession;
import io.trainyard.device.gang.Port;
import io.trainyard.spec.Printable;
import io.trainyard.training.JobTraining;
import io.trainyard.training.PartTraining;
import io.trainyard.training.Partners;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `join`: trains a part of each job of a `train --processes` elsewhere.
@Command(
        name = "join",
        description =
                "Trains jobs together with another process: ./trainyard train --processes. Computes a part of every batch; data sets are this machine's own.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = ExitCodes.HEADING,
        exitCodeList = {
            ExitCodes.JOBS_OK_HELP,
            ExitCodes.FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  openssl rand -hex 32 > together.secret",
            "  ./trainyard train job.json --processes 2 --secret together.secret --host 10.0.0.1 --port 7700",
            "  ./trainyard join 10.0.0.1:7700 --secret together.secret"
        })
public final class JoinCommand implements Callable<Integer>, PlainCommand {
    private static final Duration RETRY = Duration.ofMillis(500);

    /// How long ctrl-C waits for the step under way.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

    private final Terminal terminal;
    private volatile boolean stopRequested;
    private volatile Runnable leaves = () -> {}; // those it trains with

    @Spec
    private CommandSpec command;

    @Parameters(paramLabel = "HOST:PORT", description = "Where the process is that has the jobs.")
    private String leader = "";

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    @Mixin
    private PartnerOptions partner = new PartnerOptions();

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description = "How long to try to reach it, before a job and after it (default: 60).")
    private int waitSeconds = 60;

    public JoinCommand() {
        this(Terminal.system());
    }

    JoinCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(ended), "interrupted"));
        try {
            return join();
        } finally {
            ended.countDown();
        }
    }

    /// Ends at the next step: the leader saves a checkpoint, and has the others gather anew.
    void stop() {
        stopRequested = true;
        leaves.run();
    }

    /// In a shutdown hook: the process ends when this returns.
    private void stopAndWait(CountDownLatch ended) {
        stop();
        try {
            var _ = ended.await(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private int join() throws InterruptedException {
        InetSocketAddress address = address();
        byte[] secret = partner.secret();
        Port port = partner.port();
        var _ = Devices.open(options.device());
        String name = "%s:%d".formatted(port.host(), ProcessHandle.current().pid());
        PartTraining training = new PartTraining(
                new JobTraining(options.data(), options.device(), 0, name),
                new Partners(name, 1, port, secret, Duration.ofSeconds(waitSeconds)));
        boolean done = false; // the last job
        long seen = System.nanoTime();
        String reason = "";
        int failed = 0; // tries in a row: one may last longer than is to be waited, which says little
        while ((failed < 2
                        || System.nanoTime() - seen
                                < Duration.ofSeconds(waitSeconds).toNanos())
                && !stopRequested) {
            try {
                reason = training.train(address, member());
                done = reason.contains(GangSession.ENDED);
                seen = System.nanoTime();
                failed = 0;
                terminal.err().println(Printable.text(reason, 1000));
            } catch (PartLostException e) {
                reason = String.valueOf(e.getMessage());
                failed++;
                Thread.sleep(RETRY);
            }
        }
        return status(done, reason);
    }

    private PartTraining.Member member() {
        return new PartTraining.Member() {
            @Override
            public boolean stops() {
                return stopRequested;
            }

            @Override
            public void begins(String job, int attempt, Runnable leave) {
                terminal.err().println("trains a part of job " + job);
                leaves = leave;
                if (stopRequested) {
                    leave.run();
                }
            }
        };
    }

    private int status(boolean done, String reason) {
        if (stopRequested) {
            return ExitCodes.INTERRUPTED;
        }
        if (done) {
            return ExitCodes.OK;
        }
        terminal.err().println(Printable.text(reason, 1000));
        return ExitCodes.FAILED;
    }

    private InetSocketAddress address() {
        int colon = leader.lastIndexOf(':');
        if (colon < 1 || !leader.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new ParameterException(
                    command.commandLine(), "\"%s\" is no address; give it as HOST:PORT".formatted(leader));
        }
        int port = Integer.parseInt(leader.substring(colon + 1));
        if (port < 1 || port > 65_535) {
            throw new ParameterException(command.commandLine(), "port is %d; allowed is 1 to 65535".formatted(port));
        }
        return new InetSocketAddress(leader.substring(0, colon), port);
    }
}
