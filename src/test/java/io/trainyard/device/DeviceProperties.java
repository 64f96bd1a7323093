package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;

/// What must hold of every device with every network: the contract's rows are those that people thought of.
public abstract class DeviceProperties {
    /// Opened anew for each session.
    public abstract Device device();

    /// Those that the device computes.
    @Provide
    protected Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary();
    }

    /// Saved after any step and loaded into another session: the same bits as without the interruption.
    @SeededProperty
    void goesOnAsIfNothingHadHappened(@ForAll("networks") RandomNetwork network, @ForAll long seed) {
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
