package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.PartLostException;
import io.trainyard.device.gang.Crew;
import io.trainyard.device.gang.GangDevice;
import io.trainyard.device.gang.Gathering;
import io.trainyard.device.gang.Links;
import io.trainyard.device.gang.Port;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Supervisor.Gatherers;
import io.trainyard.training.Supervisor.Halt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How other processes train jobs with this one: they come to a port of this one, anew for each attempt.
///
/// @param self what the others call this process
/// @param processes of each job that does not say itself how many workers it is for, this one included; 1: it alone
/// @param port where they come to, or where this one listens that came to another
/// @param secret that all of them know
/// @param within how long to wait until all are there
public record Partners(String self, int processes, Port port, byte[] secret, Duration within) {
    private static final System.Logger LOG = System.getLogger(Partners.class.getName());

    /// A process that stands still is lost after so long; one that is gone, at once.
    public static final Duration PATIENCE = Duration.ofMinutes(10);

    /// What a job runs on.
    ///
    /// @param own this process's
    /// @param partners null: there are none
    /// @throws DeviceException if it cannot compute a part of a batch, or the job wants partners and there are none
    static Device with(Device own, @Nullable Partners partners, Attempt attempt) {
        JobSpec job = attempt.job();
        int count = job.workers() > 1 || partners == null ? job.workers() : partners.processes();
        if (count == 1) {
            return own;
        }
        if (partners == null) {
            throw new DeviceException(
                    "the job is for %d workers together, and this one trains no job with others; give all workers that should the same file with --secret"
                            .formatted(count));
        }
        return GangDevice.of(own, count, () -> partners.gather(attempt, count));
    }

    private Links gather(Attempt attempt, int count) {
        Crew crew = new Crew(attempt.job().id(), attempt.number(), count, self, secret);
        try (Gathering gathering = new Gathering(port, processes > 1 ? 1 : Port.TRIED, crew)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "job={0} waits for {1} processes at {2}:{3,number,#}",
                    crew.job(),
                    gathering.missing(),
                    port.host(),
                    gathering.port());
            await(gathering, crew, attempt);
            byte[] json = JobJson.command(attempt.job()).json().toString().getBytes(StandardCharsets.UTF_8);
            return gathering.begin(json, attempt::missing, PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PartLostException("job %s is given up before all who train it are there".formatted(crew.job()));
        } finally {
            attempt.gathers(null);
        }
    }

    private void await(Gathering gathering, Crew crew, Attempt attempt) throws InterruptedException {
        long begin = System.nanoTime();
        while (gathering.missing() > 0) {
            attempt.gathers(new Gatherers(port.host(), gathering.port(), gathering.missing()));
            gathering.look();
            Optional<Halt> halt = attempt.halt();
            if (halt.isPresent()) {
                throw new HaltedException(halt.get());
            }
            Optional<String> leaves = attempt.leavesGathering();
            if (leaves.isPresent()) {
                throw new PartLostException(leaves.get());
            }
            if (System.nanoTime() - begin > within.toNanos()) {
                throw new PartLostException(
                        "%d of the %d others that train job %s with this one have not come within %d s"
                                .formatted(gathering.missing(), crew.count() - 1, crew.job(), within.toSeconds()));
            }
        }
    }
}
