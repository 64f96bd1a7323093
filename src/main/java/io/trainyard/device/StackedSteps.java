package io.trainyard.device;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Several sessions of one network, trained together as one program: see [StackingDevice]. Each has a place of its own.
///
/// Nothing that one of them computes depends on the others, nor on whether they are there: its bits are those that the
/// session gives by itself.
public interface StackedSteps extends AutoCloseable {
    /// Takes steps that have full batches, in all sessions that are given. It may keep a session's state until
    /// [#release]; until then nobody else uses the session. Called by one thread at a time.
    ///
    /// @param sessions one for each place; null: none
    /// @return what came of it, for each place; null for those of which there is none
    /// @throws RuntimeException if none of them can go on
    List<@Nullable Trained> advance(List<? extends @Nullable LearningSession> sessions, int steps);

    /// Gives the state of a place's session back to it. Other sessions may be trained at the same time, if that one is
    /// not.
    void release(int place);

    @Override
    void close();

    /// What came of a session's steps.
    sealed interface Trained {
        /// @param losses one for each step
        record Steps(float[] losses) implements Trained {}

        /// The others are not touched by it.
        record Failed(RuntimeException cause) implements Trained {}
    }
}
