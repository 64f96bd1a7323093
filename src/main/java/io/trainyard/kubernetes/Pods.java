package io.trainyard.kubernetes;

/// The pods of the fleet's namespace.
@FunctionalInterface
public interface Pods extends AutoCloseable {
    /// Writes the annotations of a mark to a pod, and nothing else.
    ///
    /// @return false if there is no such pod, or if it is none of a worker's
    /// @throws ApiServerException if whoever keeps the pods does not answer, or does not allow it
    boolean mark(String pod, PodMark mark);

    @Override
    default void close() {}
}
