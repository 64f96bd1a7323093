package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.PartLostException;
import io.trainyard.device.gang.Crew;
import io.trainyard.device.gang.GangDevice;
import io.trainyard.device.gang.Gathering;
import io.trainyard.device.gang.Links;
import io.trainyard.device.gang.Port;
import io.trainyard.spec.JobJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/// Processes that train each job with this one: they come to a port of this one, anew for each attempt.
///
/// @param count of processes, this one included
/// @param port where they come to
/// @param secret that they know
/// @param within how long to wait until all are there
public record Partners(int count, Port port, byte[] secret, Duration within) {
    private static final System.Logger LOG = System.getLogger(Partners.class.getName());

    /// A process that stands still is lost after so long; one that is gone, at once.
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /// @param own this process's
    /// @throws io.trainyard.device.DeviceException if it cannot compute a part of a batch
    Device with(Device own, Attempt attempt) {
        return GangDevice.of(own, count, () -> gather(attempt));
    }

    private Links gather(Attempt attempt) {
        String job = attempt.job().id();
        Crew crew = new Crew(job, attempt.number(), count, "the leader", secret);
        long end = System.nanoTime() + within.toNanos();
        try (Gathering gathering = new Gathering(port, crew)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "job={0} waits for {1} processes at {2}:{3,number,#}",
                    job,
                    gathering.missing(),
                    port.host(),
                    gathering.port());
            while (gathering.missing() > 0) {
                gathering.look();
                if (attempt.halt().isPresent()) {
                    throw new PartLostException("job %s is stopped before all who train it are there".formatted(job));
                }
                if (System.nanoTime() - end > 0) {
                    throw new PartLostException(
                            "%d of the %d processes that train job %s with this one have not come within %d s; start them with ./trainyard join"
                                    .formatted(gathering.missing(), count - 1, job, within.toSeconds()));
                }
            }
            byte[] json = JobJson.command(attempt.job()).json().toString().getBytes(StandardCharsets.UTF_8);
            return gathering.begin(json, _ -> Optional.empty(), PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PartLostException("job %s is given up before all who train it are there".formatted(job));
        }
    }
}
