package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;

/// Properties of every device for random networks, in addition to the hand-picked rows of the contract.
public abstract class DeviceProperties {
    /// A new device for each session.
    public abstract Device device();

    /// The networks that the device supports.
    @Provide
    protected Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary();
    }

    /// A state saved after any step and loaded into another session gives the same bits as an uninterrupted
    /// run.
    @SeededProperty
    void resumesWithTheSameBits(@ForAll("networks") RandomNetwork network, @ForAll long seed) {
        Workload workload = network.workload();
        int steps = workload.stepsPerEpoch();
        int interrupted = (int) Math.floorMod(seed, (long) steps);
        SessionState whole;
        SessionState middle;
        EpochPlan plan = CheckWorkload.plan(workload, seed);
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(plan, 0);
            assertThat(session.advance(interrupted)).hasSize(interrupted);
            middle = session.save();
            assertThat(session.advance(steps - interrupted)).hasSize(steps - interrupted);
            whole = session.save();
        }
        try (LearningSession session = device().open(workload)) {
            EpochPlan again = CheckWorkload.plan(workload, seed);
            session.load(middle);
            session.beginEpoch(again, interrupted);
            assertThat(session.advance(steps - interrupted)).hasSize(steps - interrupted);
            assertThat(Bits.of(session.save())).isEqualTo(Bits.of(whole));
            assertThat(again.random().state()).isEqualTo(plan.random().state());
        }
    }
}
