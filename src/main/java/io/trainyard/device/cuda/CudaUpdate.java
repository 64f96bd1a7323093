package io.trainyard.device.cuda;

import io.trainyard.device.AdamFactors;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.OptimizerSpec;

/// The optimizer's step: one kernel over all parameters.
///
/// @param scalars [StepScalars], for each step of the epoch
record CudaUpdate(OptimizerSpec optimizer, Buffer scalars) {
    /// Enqueues it.
    void run(Compilation c) {
        CudaModel model = c.model();
        long length = model.length();
        switch (optimizer) {
            case OptimizerSpec.Sgd sgd ->
                c.kernels()
                        .launch(
                                "sgd",
                                length,
                                model.values(),
                                model.gradients(),
                                model.slots().isEmpty() ? null : model.slots().getFirst(),
                                length,
                                scalars,
                                c.step(),
                                (float) sgd.momentum(),
                                (float) sgd.weightDecay(),
                                sgd.nesterov() ? 1 : 0);
            case OptimizerSpec.Adam _, OptimizerSpec.AdamW _ -> {
                AdamFactors constant = AdamFactors.of(optimizer, 0, 1); // what does not change from step to step
                c.kernels()
                        .launch(
                                "adam",
                                length,
                                model.values(),
                                model.gradients(),
                                model.slots().get(0),
                                model.slots().get(1),
                                length,
                                scalars,
                                c.step(),
                                constant.gradientDecay(),
                                constant.approach(),
                                constant.fromGradient() ? 1 : 0,
                                constant.beta2(),
                                constant.newSquare(),
                                constant.epsilon());
            }
        }
    }
}
