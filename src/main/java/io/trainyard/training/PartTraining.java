package io.trainyard.training;

import io.trainyard.device.gang.Joining;
import io.trainyard.device.gang.Links;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.net.InetSocketAddress;
import java.util.Optional;

/// Trains parts of jobs that other processes have.
public final class PartTraining {
    private final JobTraining training;
    private final Joining joining;

    /// @param partners how the others reach this process, and what they know
    public PartTraining(JobTraining training, Partners partners) {
        this.training = training;
        this.joining = new Joining(partners.secret(), partners.port(), partners.self());
    }

    /// Whom it answers to.
    public interface Member {
        /// Asked now and then while it waits for the others: whether it should no longer.
        boolean stops();

        /// Why one of the others should be waited for no longer; empty: it is heard.
        default Optional<String> missing(String worker) {
            return Optional.empty();
        }

        /// All are there.
        ///
        /// @param leave ends the part at the next step boundary; from any thread
        void begins(String job, int attempt, Runnable leave);
    }

    /// Comes to a leader, waits until all are there, and trains until that says no more.
    ///
    /// @return why it has ended
    /// @throws io.trainyard.device.PartLostException if nothing came of it; the message says why
    /// @throws RuntimeException if this process cannot train its part; the others have been told why
    public String train(InetSocketAddress leader, Member member) throws InterruptedException {
        Joining.Joined joined = joining.join(leader, member::stops, member::missing, Partners.PATIENCE);
        Links links = joined.links();
        JobSpec job;
        try {
            job = JobJson.read(joined.job());
        } catch (InvalidJobException e) {
            links.close("it cannot read the job: " + e.getMessage());
            throw e;
        }
        member.begins(job.id(), joined.crew().attempt(), links::leave);
        return training.serve(job, links);
    }
}
