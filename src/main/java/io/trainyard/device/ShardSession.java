package io.trainyard.device;

import java.util.List;

/// One device's part of a data-parallel session. Every device has all parameters; it computes its own samples of
/// each batch, and updates its own range of the parameters.
///
/// A step consists of these phases, each of which starts when the one before has returned on all parts:
/// [#computeGradients]; if gradients are clipped by their norm, [#gatherGradients]; [#update]. Each part is opened,
/// used and closed on its own thread. On a device with a queue, these calls may return when the work is queued, if
/// the devices wait for each other: only [#endSteps] must wait for the results.
///
/// Every part receives the whole epoch plan with its own copy of the generator. It draws for the whole batch like a
/// single device, and uses the values of its own samples.
public interface ShardSession extends LearningSession {
    /// Connects the parts; called once on each part's thread, before any other method.
    ///
    /// @param parts all parts in order, including this one
    /// @param barrier a barrier for use within [#computeGradients]
    void join(List<? extends ShardSession> parts, ShardBarrier barrier);

    /// Begins a number of steps. [#advance] consists of this method, the steps, and [#endSteps]; it is refused if
    /// there are several parts.
    ///
    /// @throws IllegalArgumentException if the epoch has fewer steps left
    void beginSteps(int steps);

    /// Copies the parameters that the other parts have updated, then computes the gradients of the next batch's
    /// mean loss from the part's own samples, of which there may be none. Layers that need the whole batch, such as
    /// batch norm, exchange their values with all other parts.
    void computeGradients();

    /// Sums the gradients of all parts, device to device, for the part's own range of the parameters, if the update
    /// depends on all ranges; otherwise does nothing, and [#update] sums them. Called between the two.
    void gatherGradients();

    /// Sums the gradients of all parts, device to device, and takes the optimizer's step if it is due, both for the
    /// part's own range of the parameters.
    void update();

    /// Copies the parameters that the other parts have updated, and ends the steps that were begun.
    ///
    /// @return for each step the sum of the losses of the part's own samples, divided by the samples of the whole
    ///     batch: the sum over all parts is the batch's mean loss
    float[] endSteps();

    /// Copies the other parts' values that a test needs. All parts call it, and wait for each other, before
    /// [#evaluate] and [#predict].
    void beginTests();

    /// Waits for all running work. All parts call it before any is closed, because a part may still be copying from
    /// the memory of another. Does not throw if the device is lost.
    void settle();

    /// Any part returns the complete state, while the other parts are idle.
    @Override
    SessionState save();
}
