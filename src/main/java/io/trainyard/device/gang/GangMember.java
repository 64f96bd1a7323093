package io.trainyard.device.gang;

import io.trainyard.device.PartDevice;
import io.trainyard.device.PartLostException;
import io.trainyard.device.PartSession;
import io.trainyard.device.Workload;
import java.nio.ByteBuffer;

/// What a member does: what its leader says, until that says no more.
public final class GangMember {
    private static final int LEADER = 0;

    private final Links links;
    private final Messages messages;
    private final GangPart part;

    private GangMember(Links links, Messages messages, GangPart part) {
        this.links = links;
        this.messages = messages;
        this.part = part;
    }

    /// Serves until the session ends, and closes the links. It ends in a [PartLostException] in any case, which says
    /// why: that the leader has said so is the good end.
    ///
    /// @param workload of the job; its threads do not count, for the leader says how many
    /// @return why it has ended
    /// @throws io.trainyard.device.DeviceException if this device cannot run it; the leader has been told
    public static String serve(PartDevice device, Workload workload, Links links) {
        try {
            int threads = links.hear(LEADER, Kind.OPEN, Integer.BYTES).getInt();
            try (GangPart part = new GangPart(device, workload.withThreads(threads), links)) {
                part.meet();
                GangMember member = new GangMember(links, new Messages(workload), part);
                while (true) {
                    member.serve();
                }
            }
        } catch (PartLostException e) {
            links.close(String.valueOf(e.getMessage()));
            return String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            links.close("it cannot go on: " + e.getMessage());
            throw e;
        }
    }

    private void serve() {
        ByteBuffer said = links.hearOrder(LEADER, Math.max(messages.stateBytes(), messages.epochBytes()));
        PartSession session = part.session();
        switch (links.kind(LEADER)) {
            case LOAD -> session.load(messages.state(said));
            case EPOCH -> {
                Messages.Epoch epoch = messages.epoch(said);
                session.beginEpoch(epoch.plan(), epoch.firstStep());
            }
            case ADVANCE -> {
                var _ = part.advance(said.getInt());
            }
            case EVALUATE -> {
                if (part.tests()) {
                    links.tell(LEADER, Kind.TESTED, messages.tested(session.evaluate()));
                }
            }
            case PREDICT -> {
                if (part.tests()) {
                    links.tell(LEADER, Kind.TESTED, Messages.predictions(session.predict()));
                }
            }
            case BYE, GATHER, SHARE, SUM, OPEN, TESTED ->
                throw new PartLostException("the leader said %s, which is no order".formatted(links.kind(LEADER)));
        }
    }
}
