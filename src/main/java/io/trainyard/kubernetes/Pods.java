package io.trainyard.kubernetes;

/// The pods of the fleet's namespace.
@FunctionalInterface
public interface Pods extends AutoCloseable {
    /// Writes only the annotations of a mark to a pod.
    ///
    /// @return false if there is no such pod, or if it is not a worker's
    /// @throws ApiServerException if the API server does not answer or refuses the request
    boolean mark(String pod, PodMark mark);

    @Override
    default void close() {}
}
