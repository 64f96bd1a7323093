package io.trainyard.device.gang;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.DeviceException;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartLostException;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// A session on several processes, as its leader has it: whatever is asked of it the members do, too. All parts have
/// all that lives from step to step, so that [#save] asks nobody.
///
/// Whatever needs the others throws a [PartLostException] if one is lost or stops; [#save] can be called after that.
public final class GangSession implements LearningSession {
    /// What members are told when no more is to be done.
    public static final String ENDED = "its attempt has ended";

    private static final String LOST = "another part is lost, so that all gather anew";

    private final Links links;
    private final Messages messages;
    private final GangPart part;
    private boolean lost; // a part is
    private boolean closed;

    private GangSession(Links links, Messages messages, GangPart part) {
        this.links = links;
        this.messages = messages;
        this.part = part;
    }

    /// Opens this part, and has the members open theirs. Closes the links in the end, or if it comes to nothing.
    ///
    /// @param workload of the whole batches; its threads are those of all parts together, or 0
    /// @throws DeviceException if this device cannot run it
    /// @throws PartLostException if a member cannot, or is lost
    public static GangSession open(PartDevice device, Workload workload, Links links) {
        int count = links.part().count();
        int threads = workload.threads() == 0 ? 0 : Math.max(1, workload.threads() / count);
        GangPart part = null;
        try {
            part = new GangPart(device, workload.withThreads(threads), links);
            links.tell(Kind.OPEN, Messages.number(part.session().threads()));
            part.meet();
            return new GangSession(links, new Messages(workload), part);
        } catch (RuntimeException | Error e) {
            links.close(String.valueOf(e.getMessage()));
            if (part != null) {
                part.close();
            }
            throw e;
        }
    }

    /// Of all parts together, which have as many each.
    @Override
    public int threads() {
        return links.part().count() * part.session().threads();
    }

    @Override
    public DeviceChoices choices() {
        return part.session().choices();
    }

    @Override
    public void load(SessionState state) {
        together(() -> {
            part.session().load(state); // refuses what the members would
            links.tell(Kind.LOAD, messages.state(state));
        });
    }

    @Override
    public SessionState save() {
        return part.session().save();
    }

    @Override
    public void beginEpoch(EpochPlan plan, int firstStep) {
        together(() -> {
            ByteBuffer epoch = messages.epoch(plan, firstStep); // before this part draws from the plan's generator
            part.session().beginEpoch(plan, firstStep); // refuses what the members would
            links.tell(Kind.EPOCH, epoch);
        });
    }

    @Override
    public float[] advance(int steps) {
        return together(() -> {
            part.session().beginSteps(steps); // refuses what the members would
            links.tell(Kind.ADVANCE, Messages.number(steps));
            return part.advance(steps);
        });
    }

    @Override
    public OptionalLong batchNanos() {
        return part.session().batchNanos();
    }

    @Override
    public Evaluation evaluate() {
        return together(() -> {
            links.tell(Kind.EVALUATE, Messages.number(0));
            Evaluation all = part.session().evaluate();
            for (int other = 1; other < part.testing(); other++) {
                all = all.plus(messages.tested(links.hear(other, Kind.TESTED, messages.testedBytes())));
            }
            return all;
        });
    }

    @Override
    public float[] predict() {
        return together(() -> {
            links.tell(Kind.PREDICT, Messages.number(0));
            float[] all = part.session().predict();
            for (int other = 1; other < part.testing(); other++) {
                ByteBuffer more = links.hear(other, Kind.TESTED, messages.predictionBytes());
                int from = all.length;
                all = Arrays.copyOf(all, from + more.remaining() / Float.BYTES);
                more.asFloatBuffer().get(all, from, all.length - from);
            }
            return all;
        });
    }

    private void together(Runnable task) {
        var _ = together(() -> {
            task.run();
            return true;
        });
    }

    private <T> T together(Supplier<T> task) {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
        try {
            return task.get();
        } catch (PartLostException e) {
            lost = true;
            throw e;
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            links.close(lost ? LOST : ENDED);
            part.close();
        }
    }
}
