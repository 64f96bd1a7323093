package io.trainyard.device;

/// A part of a session that is in another process is gone, or will be: no more steps can be taken together. What
/// this part has is whole: all steps up to some have been taken, and nothing of the next one.
public final class PartLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final float[] losses;

    /// @param message which one, and why; for people
    public PartLostException(String message) {
        this(message, new float[0]);
    }

    private PartLostException(String message, float[] losses) {
        super(message);
        this.losses = losses;
    }

    /// The same, of the call that was to take steps.
    ///
    /// @param taken the losses of those that were taken
    public PartLostException after(float[] taken) {
        PartLostException all = new PartLostException(String.valueOf(getMessage()), taken.clone());
        all.initCause(this);
        return all;
    }

    /// Of the steps that were taken before it, since the call that has thrown it.
    public float[] losses() {
        return losses.clone();
    }
}
