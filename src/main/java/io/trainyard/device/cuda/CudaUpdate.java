package io.trainyard.device.cuda;

import io.trainyard.device.AdamFactors;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.spec.OptimizerSpec;
import java.util.List;

/// The optimizer's step: one kernel over all parameters that this device updates.
///
/// @param scalars [StepScalars], for each step of the epoch
/// @param exchange knows which of the model's parameters these are
record CudaUpdate(OptimizerSpec optimizer, Buffer scalars, CudaModel model, PartExchange exchange) {
    /// Enqueues it.
    void run(Compilation c) {
        Buffer values = exchange.ownRange(model.values());
        Buffer gradients = exchange.ownRange(model.gradients());
        List<Buffer> slots = model.slots().stream().map(exchange::ownRange).toList();
        long floats = values.bytes() / Float.BYTES;
        switch (optimizer) {
            case OptimizerSpec.Sgd sgd ->
                c.kernels()
                        .launch(
                                "sgd",
                                floats,
                                values,
                                gradients,
                                slots.isEmpty() ? null : slots.getFirst(),
                                floats,
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
                                floats,
                                values,
                                gradients,
                                slots.get(0),
                                slots.get(1),
                                floats,
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
