package io.trainyard.device.cuda.layer;

import static jcuda.jcudnn.cudnnBackendAttributeName.*;
import static jcuda.jcudnn.cudnnBackendAttributeType.*;
import static jcuda.jcudnn.cudnnBackendDescriptorType.*;

import io.trainyard.device.cuda.driver.CudaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnBackendDescriptor;
import jcuda.jcudnn.cudnnHandle;

/// Descriptors of cuDNN's graph API, destroyed together in reverse order.
final class GraphDescriptors implements AutoCloseable {
    private final Deque<Descriptor> all = new ArrayDeque<>();
    private final BiConsumer<Descriptor, Integer> device;

    /// @param device sets the attributes of a new descriptor that name the device, by the descriptor's type
    GraphDescriptors(BiConsumer<Descriptor, Integer> device) {
        this.device = device;
    }

    static BiConsumer<Descriptor, Integer> of(cudnnHandle handle) {
        Map<Integer, Integer> attributes = Map.of(
                CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_HANDLE,
                CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
        return (descriptor, type) -> Optional.ofNullable(attributes.get(type))
                .ifPresent(attribute -> descriptor.addresses(attribute, CUDNN_TYPE_HANDLE, handle));
    }

    Descriptor create(int type) {
        cudnnBackendDescriptor handle = new cudnnBackendDescriptor();
        CudaStatus.dnn(
                JCudnn.cudnnBackendCreateDescriptor(type, handle), "cudnnBackendCreateDescriptor of type " + type);
        Descriptor descriptor = new Descriptor(handle);
        all.push(descriptor);
        device.accept(descriptor, type);
        return descriptor;
    }

    /// Reads an attribute that is a list of descriptors.
    ///
    /// @param type of the descriptors
    Descriptor[] read(Descriptor from, int attribute, int type, int most) {
        Descriptor[] read = new Descriptor[most];
        Arrays.setAll(read, _ -> create(type));
        MemorySegment values = Descriptor.segment(Descriptor.handles(read));
        return Arrays.copyOf(read, from.get(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, values));
    }

    @Override
    public void close() {
        while (!all.isEmpty()) {
            JCudnn.cudnnBackendDestroyDescriptor(all.pop().handle());
        }
    }

    /// Reads the address in a JCuda object.
    private static final class Address extends Pointer {
        private Address(Pointer of) {
            super(of);
        }

        private static final class OfObject extends NativePointerObject {
            private OfObject(NativePointerObject of) {
                super(of);
            }

            private long value() {
                return getNativePointer();
            }
        }

        static long of(NativePointerObject object) {
            long offset = object instanceof Pointer pointer ? new Address(pointer).getByteOffset() : 0;
            return new OfObject(object).value() + offset;
        }
    }

    /// Its attributes are set, then it is finalized, then it can be used. JCudnn requires native memory for the
    /// values.
    record Descriptor(cudnnBackendDescriptor handle) {
        private static NativePointerObject[] handles(Descriptor... descriptors) {
            return Stream.of(descriptors).map(Descriptor::handle).toArray(NativePointerObject[]::new);
        }

        private static MemorySegment segment(NativePointerObject... objects) {
            return Arena.ofAuto()
                    .allocateFrom(
                            ValueLayout.JAVA_LONG,
                            Stream.of(objects).mapToLong(Address::of).toArray());
        }

        private static Pointer pointer(MemorySegment segment) {
            return new Pointer().withByteOffset(segment.address());
        }

        Descriptor set(int attribute, int type, long count, MemorySegment values) {
            int status = JCudnn.cudnnBackendSetAttribute(handle, attribute, type, count, pointer(values));
            Reference.reachabilityFence(values);
            CudaStatus.dnn(status, "cudnnBackendSetAttribute of %d".formatted(attribute));
            return this;
        }

        Descriptor longs(int attribute, long... values) {
            return set(
                    attribute,
                    CUDNN_TYPE_INT64,
                    values.length,
                    Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, values));
        }

        /// Sets a value of an enumeration.
        Descriptor choice(int attribute, int type, int value) {
            return set(attribute, type, 1, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_INT, value));
        }

        Descriptor number(int attribute, float value) {
            return set(attribute, CUDNN_TYPE_FLOAT, 1, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, value));
        }

        Descriptor descriptors(int attribute, Descriptor... values) {
            return addresses(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles(values));
        }

        /// @param values device memory
        Descriptor pointers(int attribute, Pointer... values) {
            return addresses(attribute, CUDNN_TYPE_VOID_PTR, values);
        }

        private Descriptor addresses(int attribute, int type, NativePointerObject... values) {
            return set(attribute, type, values.length, segment(values));
        }

        /// @return cuDNN's status
        int tryToFinish() {
            return JCudnn.cudnnBackendFinalize(handle);
        }

        Descriptor finish(String what) {
            CudaStatus.dnn(tryToFinish(), "cudnnBackendFinalize of " + what);
            return this;
        }

        long read(int attribute) {
            MemorySegment value = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
            get(attribute, CUDNN_TYPE_INT64, 1, value);
            return value.get(ValueLayout.JAVA_LONG, 0);
        }

        /// Reads values of an enumeration.
        int[] read(int attribute, int type, int most) {
            MemorySegment values = Arena.ofAuto().allocate(ValueLayout.JAVA_INT, most);
            int count = get(attribute, type, most, values);
            return values.asSlice(0, (long) count * Integer.BYTES).toArray(ValueLayout.JAVA_INT);
        }

        /// The number of descriptors in an attribute that is a list.
        int count(int attribute) {
            return get(attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, MemorySegment.NULL);
        }

        /// @return the number of values
        private int get(int attribute, int type, int most, MemorySegment values) {
            long[] count = new long[1];
            CudaStatus.dnn(
                    JCudnn.cudnnBackendGetAttribute(handle, attribute, type, most, count, pointer(values)),
                    "cudnnBackendGetAttribute of %d".formatted(attribute));
            Reference.reachabilityFence(values);
            return (int) count[0];
        }
    }
}
