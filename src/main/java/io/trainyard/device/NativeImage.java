package io.trainyard.device;

/// Detects the native image (docs/contributing/decisions/20-native-image.md).
public final class NativeImage {
    /// GraalVM sets the property in the image and while it builds one. This class is initialized at build time, so
    /// the value is a constant, and code that only runs on a JVM is not included in the image.
    public static final boolean IS_ONE = System.getProperty("org.graalvm.nativeimage.imagecode") != null;

    private NativeImage() {}
}
