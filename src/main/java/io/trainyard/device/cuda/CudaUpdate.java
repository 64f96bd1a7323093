package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.session.UpdateRule;
import io.trainyard.spec.OptimizerSpec;

/// The optimizer's step: one kernel over all parameters that this device updates.
///
/// @param scalars [StepScalars], for each step of the epoch
/// @param exchange knows which of the model's parameters these are
record CudaUpdate(OptimizerSpec optimizer, Buffer scalars, CudaModel model, PartExchange exchange) {
    /// Enqueues it.
    void run(Compilation c) {
        UpdateKernel.Operands operands = new UpdateKernel.Operands(
                exchange.ownRange(model.values()),
                exchange.ownRange(model.gradients()),
                model.slots().stream().map(exchange::ownRange).toList(),
                scalars,
                c.step());
        UpdateRule ofAnyStep = UpdateRule.of(optimizer, 0, 1); // only what is the same in each step is recorded
        UpdateKernel kernel = UpdateKernel.of(ofAnyStep);
        c.kernels().launch(kernel.name(), operands.floats(), kernel.arguments(operands));
    }
}
