package io.trainyard.training;

import io.trainyard.device.DeviceMemoryException;
import io.trainyard.spec.Network;

/// Whether a network's weights fit into the heap. A process without heap exits, and the next worker would exit
/// because of the same job.
final class HeapCheck {
    private HeapCheck() {}

    /// @throws DeviceMemoryException if the weights alone exceed the heap
    static void require(Network network) {
        require(network, Runtime.getRuntime().maxMemory());
    }

    static void require(Network network, long heapBytes) {
        long bytes = network.parameters().stream()
                .mapToLong(parameter -> (long) Float.BYTES * parameter.shape().elements())
                .sum();
        if (bytes > heapBytes) {
            throw new DeviceMemoryException(
                    "the network's weights have %d MiB, and this worker's Java heap is %d MiB at most; choose smaller layers, or give Java more with -Xmx"
                            .formatted(bytes >> 20, heapBytes >> 20));
        }
    }
}
