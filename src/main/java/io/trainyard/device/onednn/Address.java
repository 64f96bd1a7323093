package io.trainyard.device.onednn;

import org.bytedeco.javacpp.Pointer;

/// A native address as a JavaCPP pointer; it owns no memory.
final class Address extends Pointer {
    private static final long serialVersionUID = 1L;

    Address(long address) {
        super((Pointer) null);
        this.address = address;
    }
}
