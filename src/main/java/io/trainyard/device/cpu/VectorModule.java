package io.trainyard.device.cpu;

import java.util.Optional;

/// The JDK's module of the Vector API, which the kernels use.
///
/// It is an incubator module, and Java warns at every start with `--add-modules` of such a module, which cannot be
/// disabled. So it is loaded at run time instead, by the JDK-internal method for loading modules, which the
/// manifest of the packaged application exports. The JVM's compilers treat it the same. A native image is built
/// with the module (quarkus.native.additional-build-args) in its boot layer.
final class VectorModule {
    private static final String NAME = "jdk.incubator.vector";

    private VectorModule() {}

    /// Loads the module, unless Java was started with it.
    ///
    /// @return why it is missing; empty if it is loaded
    static Optional<String> whyMissing() {
        if (ModuleLayer.boot().findModule(NAME).isPresent()) {
            return Optional.empty();
        }
        try {
            Class.forName("jdk.internal.module.Modules")
                    .getMethod("loadModule", String.class)
                    .invoke(null, NAME); // does nothing if it is loaded already
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            return Optional.of(
                    "its kernels need Java's module %s, which cannot be loaded (%s); start Java with --add-modules %s"
                            .formatted(NAME, e.getCause() == null ? e : e.getCause(), NAME));
        }
    }
}
