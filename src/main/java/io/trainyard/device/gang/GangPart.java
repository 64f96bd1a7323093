package io.trainyard.device.gang;

import io.trainyard.device.DeviceException;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartLostException;
import io.trainyard.device.PartSession;
import io.trainyard.device.Workload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// One part of a session on several processes: what its leader and its members have in common.
final class GangPart implements AutoCloseable {
    private static final int DIGEST = 32;

    private final Links links;
    private final Workload workload;
    private final PartSession session;

    /// Opens the part, and meets the others.
    ///
    /// @param workload of the whole batches, with all tests; its threads are this part's
    /// @throws DeviceException if the device cannot run it
    /// @throws PartLostException if another part is gone
    GangPart(PartDevice device, Workload workload, Links links) {
        this.links = links;
        this.workload = workload;
        EvenPart part = links.part();
        session = device.openApart(workload, part);
    }

    /// Once all are open.
    void meet() {
        requireSame();
        session.join(links);
    }

    /// The numbers of the parts have a sum only if they are of the same things.
    private void requireSame() {
        String what = "%s %s %s %d %d\n%s"
                .formatted(
                        workload.network().layers(),
                        workload.dataset().name(),
                        workload.dataset().shape(),
                        workload.dataset().train().size(),
                        workload.dataset().test().size(),
                        session.arrangement());
        ByteBuffer own = ByteBuffer.wrap(digest(what));
        for (ByteBuffer other : links.gather(own, DIGEST)) {
            if (!other.equals(own)) {
                throw new DeviceException(
                        "the workers of the job do not compute the same: their data sets differ, or their processors lay out the network's parameters differently; give all workers the same data and processors of one kind");
            }
        }
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    PartSession session() {
        return session;
    }

    /// The first so many parts have tests.
    int testing() {
        return Math.min(links.part().count(), workload.testBatches());
    }

    boolean tests() {
        return links.part().index() < testing();
    }

    /// Takes steps with the others. If one of them is lost or goes, what this part has is as of the last whole step.
    ///
    /// @return their losses
    /// @throws PartLostException with the losses of those that were taken
    float[] advance(int steps) {
        session.beginSteps(steps);
        try {
            for (int i = 0; i < steps; i++) {
                links.leaves().ifPresent(worker -> {
                    throw new PartLostException("worker %s, which has a part of the job, stops".formatted(worker));
                });
                session.computeGradients();
                session.gatherGradients();
                session.update();
            }
        } catch (PartLostException e) {
            throw e.after(session.endSteps());
        }
        return session.endSteps();
    }

    @Override
    public void close() {
        session.close();
    }
}
