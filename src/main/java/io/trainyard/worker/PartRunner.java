package io.trainyard.worker;

import io.trainyard.training.PartTraining;
import java.net.InetSocketAddress;

/// Trains a part of a job that another worker has, on the thread that calls it.
@FunctionalInterface
interface PartRunner {
    /// @param leader where to come to
    /// @param member hears of the job, and may ask for an end
    /// @return why it has ended
    /// @throws io.trainyard.device.PartLostException if nothing came of it
    /// @throws RuntimeException if this worker cannot train its part
    String run(InetSocketAddress leader, PartTraining.Member member) throws InterruptedException;
}
