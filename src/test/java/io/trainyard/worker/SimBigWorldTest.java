package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/// Two days of a fleet in simulated time.
class SimBigWorldTest {
    /// `-Dworkers`, `-Djobs` and `-Dbeat` in seconds say how large it is; `-Dseed` which one.
    @Test
    @Campaign
    void shortJobsEndWhileALongOneTrains() {
        Logger log = Logger.getLogger("io.trainyard");
        Level before = log.getLevel();
        log.setLevel(Level.OFF);
        try {
            SimBigWorld big = new SimBigWorld(
                    Long.getLong("seed", 0),
                    Integer.getInteger("workers", 20),
                    Integer.getInteger("jobs", 2000),
                    Duration.ofSeconds(Integer.getInteger("beat", 60)));
            List<String> wrong = big.run();
            System.out.printf(
                    "%d h of simulated time, %d million steps%n",
                    Duration.ofNanos(big.world().nanos()).toHours(), big.world().steps() / 1_000_000);
            assertThat(wrong).isEmpty();
        } finally {
            log.setLevel(before);
        }
    }
}
