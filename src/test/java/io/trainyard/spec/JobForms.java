package io.trainyard.spec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.ActivationFunction.Gelu;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// What texts in jobs may be, for those who describe jobs: regular expressions of what a whole text is, and words.
public final class JobForms {
    public static final String ID = JobSpec.ID;
    public static final String PATH = SweepSpec.PATH;
    public static final String CHECKPOINT = CheckpointName.FORM;
    public static final String DATASET = DatasetSpec.NAME;
    public static final String DEVICE = DeviceSpec.FORM;
    public static final String LAYER = NetworkSpec.LAYER_NAME;

    private JobForms() {}

    /// Whether it is a job.
    public static boolean isRead(ObjectNode json) {
        return JobJson.whyUnreadable(json).isEmpty();
    }

    /// With aliases.
    public static Stream<String> networks() {
        return Stream.concat(BuiltInNetworks.names().stream(), BuiltInNetworks.ALIASES.keySet().stream())
                .sorted();
    }

    public static Stream<String> approximations() {
        return Arrays.stream(Gelu.APPROXIMATIONS.split("\\|"));
    }

    /// Of upsampling.
    public static Stream<String> modes() {
        return Stream.of(Upsample.NEAREST);
    }

    /// The fields that jobs which only evaluate have not.
    public static List<String> trainingFields() {
        return JobKind.TRAINING_FIELDS.stream().sorted().toList();
    }
}
