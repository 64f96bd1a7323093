package io.trainyard.device.cpu;

import java.util.Optional;

/// The JDK's module of vectors, which the kernels are written in.
///
/// It incubates, and Java warns about such a module at every start that names it with `--add-modules`; no switch turns
/// that off. So no start names it: it is loaded into the running JVM by what the JDK itself loads modules with later,
/// which the packaged application's manifest exports. For the JVM's compilers that is the same. A native image is built
/// with the module (quarkus.native.additional-build-args), and so has it in its boot layer.
final class VectorModule {
    private static final String NAME = "jdk.incubator.vector";

    private VectorModule() {}

    /// Loads the module, unless Java was started with it.
    ///
    /// @return why there is none; empty if there is
    static Optional<String> whyMissing() {
        if (ModuleLayer.boot().findModule(NAME).isPresent()) {
            return Optional.empty();
        }
        try {
            Class.forName("jdk.internal.module.Modules")
                    .getMethod("loadModule", String.class)
                    .invoke(null, NAME); // the second time, it is there
            return Optional.empty();
        } catch (ReflectiveOperationException e) {
            return Optional.of(
                    "its kernels need Java's module %s, which cannot be loaded (%s); start Java with --add-modules %s"
                            .formatted(NAME, e.getCause() == null ? e : e.getCause(), NAME));
        }
    }
}
