package io.trainyard.device.cuda.library;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.classfile.ClassFile.ACC_VARARGS;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_void;

import io.trainyard.device.NativeImage;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jcuda.JCudaVersion;
import org.jspecify.annotations.Nullable;

/// JCuda's native libraries: extracted from their jars into a new private folder, patched for the installed
/// releases of NVIDIA's libraries, and loaded; then the folder is deleted. Loaded code needs no files, so nothing
/// remains, however the process ends.
///
/// JCuda itself would load any file with the right name from `java.library.path` or the folder for temporary files.
/// Its classes call `jcuda.LibUtilsCuda`, a single static method. Before the first of them is initialized, this
/// class redefines it to load only from the private folder. A native image contains [JCudaLoaderOfImage] instead.
final class JCudaNatives {
    private static final String LOADER = "jcuda.LibUtilsCuda";
    private static final String PLATFORM = "linux-x86_64";

    /// The class that loads each native, its name, and the version of its jar. JCuda requests all of them with its
    /// own version.
    private enum Native {
        DRIVER("jcuda.driver.JCudaDriver", "JCudaDriver", "12.6.0"),
        DNN("jcuda.jcudnn.JCudnn", "JCudnn", "11.7.0"),
        BLAS("jcuda.jcublas.JCublas2", "JCublas2", "12.6.0"),
        COMPILER("jcuda.nvrtc.JNvrtc", "JNvrtc", "12.6.0");

        private final String className;
        private final String resource;
        private final String file;

        Native(String className, String name, String version) {
            this.className = className;
            this.resource = "lib/lib%s-%s-%s.so".formatted(name, version, PLATFORM);
            this.file = "lib%s-%s-%s.so".formatted(name, JCudaVersion.get(), PLATFORM);
        }
    }

    private static volatile @Nullable Path folderOfImage; // set before any of JCuda's classes is initialized

    private JCudaNatives() {}

    /// The file of a native in the native image.
    static Path fileOfImage(String name) {
        Path folder = folderOfImage;
        if (folder == null) {
            throw new IllegalStateException("JCuda asks for %s before its libraries are unpacked".formatted(name));
        }
        return folder.resolve("lib%s.so".formatted(name));
    }

    /// Loads the natives, so that JCuda's classes can be used.
    ///
    /// @param bridges missing libraries that natives were linked to, with the installed replacements
    /// @throws CudaUnavailableException if they cannot be loaded
    static void load(Map<String, String> bridges) {
        try {
            Path folder = Files.createTempDirectory("trainyard-jcuda-"); // accessible only to its owner
            try {
                if (takeOver(folder)) {
                    extract(folder, bridges);
                }
                for (Native each : Native.values()) {
                    Class.forName(each.className, true, JCudaVersion.class.getClassLoader());
                }
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new CudaUnavailableException(
                    "JCuda's native libraries cannot be unpacked (%s); give Java a folder for temporary files that can be written, -Djava.io.tmpdir=DIR"
                            .formatted(e),
                    e);
        } catch (LinkageError | ClassNotFoundException | IllegalAccessException | IllegalArgumentException e) {
            throw new CudaUnavailableException(
                    "JCuda's native libraries cannot be loaded (%s); allow programs in the folder for temporary files, %s, or name another with -Djava.io.tmpdir=DIR"
                            .formatted(e, System.getProperty("java.io.tmpdir")),
                    e);
        }
    }

    /// Makes JCuda load its natives from the folder.
    ///
    /// @return false if this class of another class loader has already done so
    private static boolean takeOver(Path folder) throws IllegalAccessException, ClassNotFoundException {
        if (NativeImage.IS_ONE) {
            folderOfImage = folder;
            return true;
        }
        try {
            MethodHandles.privateLookupIn(JCudaVersion.class, MethodHandles.lookup())
                    .defineClass(loader(folder));
            return true;
        } catch (LinkageError e) { // already defined: ours has a mark
            try {
                var _ = Class.forName(LOADER, false, JCudaVersion.class.getClassLoader())
                        .getField("TRAINYARD");
                return false;
            } catch (NoSuchFieldException _) {
                throw e;
            }
        }
    }

    /// `static void loadLibrary(String name, String... dependents) { System.load(folder + "/lib" + name + ".so"); }`
    private static byte[] loader(Path folder) {
        MethodTypeDesc concat = MethodTypeDesc.of(CD_String, CD_String);
        return ClassFile.of()
                .build(
                        ClassDesc.of(LOADER),
                        type -> type.withFlags(ACC_PUBLIC | ACC_FINAL)
                                .withField("TRAINYARD", CD_String, ACC_PUBLIC | ACC_STATIC)
                                .withMethodBody(
                                        "loadLibrary",
                                        MethodTypeDesc.of(CD_void, CD_String, CD_String.arrayType()),
                                        ACC_PUBLIC | ACC_STATIC | ACC_VARARGS,
                                        code -> code.loadConstant(
                                                        folder.resolve("lib").toString())
                                                .aload(0)
                                                .invokevirtual(CD_String, "concat", concat)
                                                .loadConstant(".so")
                                                .invokevirtual(CD_String, "concat", concat)
                                                .invokestatic(
                                                        ClassDesc.of("java.lang.System"),
                                                        "load",
                                                        MethodTypeDesc.of(CD_void, CD_String))
                                                .return_()));
    }

    private static void extract(Path folder, Map<String, String> bridges) throws IOException {
        for (Native each : Native.values()) {
            Files.write(folder.resolve(each.file), bridged(read(each.resource), bridges));
        }
    }

    private static byte[] read(String resource) throws IOException {
        try (InputStream in = JCudaNatives.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("%s is in no jar of the class path".formatted(resource));
            }
            return in.readAllBytes();
        }
    }

    /// @throws IllegalArgumentException if the file cannot be patched
    static byte[] bridged(byte[] library, Map<String, String> bridges) {
        List<String> needed = new SharedObject(library).needed();
        byte[] result = library;
        for (Map.Entry<String, String> bridge : bridges.entrySet()) {
            if (needed.contains(bridge.getKey())) {
                result = new SharedObject(result).retargeted(bridge.getKey(), bridge.getValue());
            }
        }
        return result;
    }

    private static void delete(Path folder) throws IOException {
        for (Path file : SearchFolders.matches(folder, "*")) {
            Files.delete(file);
        }
        Files.delete(folder);
    }
}
