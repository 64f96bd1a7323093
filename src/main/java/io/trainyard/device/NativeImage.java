package io.trainyard.device;

/// Whether this process is the native image and not a JVM (docs/decisions/20-the-native-image.md).
public final class NativeImage {
    /// GraalVM sets the property, in the image and while it builds one. There this class is initialised while the image
    /// is
    /// built, so that the value is a constant, and what is done on a JVM alone is not in the image.
    public static final boolean IS_ONE = System.getProperty("org.graalvm.nativeimage.imagecode") != null;

    private NativeImage() {}
}
