package io.trainyard.device;

import java.util.List;

/// One device's part of a session that several devices train together. Every device has all parameters; of each
/// batch it computes its own samples, of each update its own range of the parameters.
///
/// A step is: all parts [#computeGradients]; when all have returned, where gradients are clipped by their
/// norm, all parts [#gatherGradients]; when all have returned, all parts [#update]; when all have returned,
/// the next step. Each part is opened, used and closed on one thread of its own. Where a device has a queue,
/// these calls may return when the work is in the queue, as long as the devices themselves wait for one
/// another: only [#endSteps] must wait for the results.
///
/// Every part is given all of the epoch's plan, with a generator of its own: it draws for the whole batch what a
/// single device would, and uses its own samples' share.
public interface PartSession extends LearningSession {
    /// Makes the parts known to one another; called once, by each part's thread, before anything else.
    ///
    /// @param parts all of them in their order, with this one
    /// @param meeting where this one waits for the others within [#computeGradients], if it has to
    void join(List<? extends PartSession> parts, PartMeeting meeting);

    /// Begins as many steps. [#advance] is this, the steps, and [#endSteps]; a part among several refuses it.
    ///
    /// @throws IllegalArgumentException if the epoch has fewer steps left
    void beginSteps(int steps);

    /// Takes over what the other parts have updated, then computes the gradients of the next batch's mean loss,
    /// as far as they come from the part's own samples; there may be none. What needs the whole batch, as batch
    /// norm does, is told to the others on the way, who all wait for it.
    void computeGradients();

    /// Sums the gradients of all parts, device to device, for the part's own range of the parameters, where
    /// the update asks for something of all ranges; else does nothing, and [#update] sums them. Called
    /// between the two.
    void gatherGradients();

    /// Sums the gradients of all parts, device to device, and takes the optimizer's step if one is due, both
    /// for the part's own range of the parameters.
    void update();

    /// Takes over what the other parts have updated, and ends the steps that were begun.
    ///
    /// @return for each step the sum of the losses of the part's own samples, divided by the samples of the whole
    ///     batch: over all parts they add up to the batch's mean loss
    float[] endSteps();

    /// Takes over what the other parts have of what is to be tested. Called by all parts before [#evaluate]
    /// and [#predict]; when all have returned, they test.
    void beginTests();

    /// Waits until nothing that it has begun still runs. Called by all parts before one is closed, for what
    /// one still copies may lie in another's memory; throws nothing for a device that is lost.
    void settle();

    /// Complete, whichever part is asked, as long as the others do nothing.
    @Override
    SessionState save();
}
