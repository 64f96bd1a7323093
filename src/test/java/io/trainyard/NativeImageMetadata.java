package io.trainyard;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.device.DeviceBackend;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;

/// The native worker's reachability metadata for GraalVM, as the file that it reads: classes that native code looks
/// up, classes that Jackson and picocli reflect on, resources that are opened by name, and foreign functions. The
/// Maven profile `native-worker` runs it as a program.
///
/// Other libraries bring their own files (JavaCPP and oneDNN), or Quarkus covers them (Kafka).
final class NativeImageMetadata {
    /// JCuda's native libraries that are loaded; the jars have more.
    static final List<String> NATIVES = List.of(
            "lib/libJCudaDriver-12.6.0-linux-x86_64.so",
            "lib/libJCudnn-11.7.0-linux-x86_64.so",
            "lib/libJCublas2-12.6.0-linux-x86_64.so",
            "lib/libJNvrtc-12.6.0-linux-x86_64.so");

    /// A class name in native code, either alone or within the type of a field or method.
    private static final Pattern CLASS_IN_NATIVE =
            Pattern.compile("\\bL?((?:jcuda|java)/[A-Za-z0-9_/$]+)(?![A-Za-z0-9_/$.])");

    /// The types of the foreign functions of the C library and of NVIDIA's libraries: the result, then the
    /// parameters. NVIDIA's take up to three numbers and return up to two.
    private static final List<List<String>> CALLS = List.of(
            List.of("jint", "jlong", "jlong", "jint"), // madvise
            List.of("struct(jlong,jlong,jlong,jlong,jlong,jlong,jlong,jlong,jlong,jlong)"), // mallinfo2
            List.of("void", "jint"), // omp_set_num_threads
            List.of("void*"), // dlerror
            List.of("void*", "void*", "jint"), // dlopen
            List.of("void*", "void*", "void*"), // dlsym
            List.of("jint", "void*", "jint", "void*"), // dlinfo, nvmlDeviceGetTemperature
            List.of("jlong"), // cudnnGetVersion
            List.of("jint"), // nvmlInit_v2
            List.of("void*", "jint"), // nvmlErrorString
            List.of("jint", "jint"), // cuInit
            List.of("jint", "void*"), // cuDriverGetVersion, cuDeviceGetCount
            List.of("jint", "void*", "void*"), // nvrtcVersion, others of NVML
            List.of("jint", "jint", "void*")); // cuGetErrorString, cublasGetProperty

    private static final String FILE = "META-INF/native-image/io.trainyard/trainyard/reachability-metadata.json";

    private NativeImageMetadata() {}

    /// Writes the file into the folder of the worker's classes, which are also on the class path.
    public static void main(String[] args) throws IOException {
        Path classes = Path.of(args[0]);
        Path file = classes.resolve(FILE);
        Files.createDirectories(file.getParent());
        Files.writeString(file, asJson(files(classes)));
    }

    /// The names of the files in a folder, with slashes.
    private static Collection<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString().replace('\\', '/'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String asJson(Collection<String> files) throws IOException {
        ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        ObjectNode root = mapper.createObjectNode();
        ArrayNode reflection = root.putArray("reflection");
        for (Class<?> type : lookedInto(files)) {
            everythingOf(type.getName(), reflection);
        }
        for (String name : namedByNatives()) {
            everythingOf(name.replace('/', '.'), reflection).put("jniAccessible", true);
        }
        ArrayNode resources = root.putArray("resources");
        resources(files).forEach(glob -> resources.addObject().put("glob", glob));
        ArrayNode calls = root.putObject("foreign").putArray("downcalls");
        for (List<String> call : CALLS) {
            ObjectNode one = calls.addObject().put("returnType", call.getFirst());
            ArrayNode taken = one.putArray("parameterTypes");
            call.stream().skip(1).forEach(taken::add);
        }
        return mapper.writeValueAsString(root) + "\n";
    }

    private static ObjectNode everythingOf(String type, ArrayNode reflection) {
        return reflection
                .addObject()
                .put("type", type)
                .put("allDeclaredConstructors", true)
                .put("allDeclaredFields", true)
                .put("allDeclaredMethods", true);
    }

    /// JSON consists of records and enums, in packages that use Jackson; the other classes have annotations for
    /// reflection, or are backends.
    private static Collection<Class<?>> lookedInto(Collection<String> files) throws IOException {
        Set<String> withJson = new HashSet<>();
        List<Class<?>> all = new ArrayList<>();
        for (String file : files) {
            if (file.startsWith("io/trainyard/") && file.endsWith(".class")) {
                Class<?> type = load(file.replace('/', '.').replaceFirst("\\.class$", ""));
                all.add(type);
                if (content(file).contains("com/fasterxml/jackson/databind/")) {
                    withJson.add(type.getPackageName());
                }
            }
        }
        Collection<Class<?>> found = all.stream()
                .filter(type -> ((type.isRecord() || type.isEnum()) && withJson.contains(type.getPackageName()))
                        || isAnnotated(type))
                .collect(Collectors.toCollection(() -> new TreeSet<>(Comparator.comparing(Class::getName))));
        ServiceLoader.load(DeviceBackend.class).stream()
                .map(ServiceLoader.Provider::type)
                .forEach(found::add);
        found.addAll(Arrays.stream(CommandLine.class.getDeclaredClasses())
                .filter(NativeImageMetadata::isAnnotated)
                .toList());
        return found;
    }

    /// Loads without initialisation, which would load native libraries.
    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, NativeImageMetadata.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw new AssertionError("cannot read the class " + name, e);
        }
    }

    private static boolean isAnnotated(Class<?> type) {
        return Stream.of(Stream.of(type), Stream.of(type.getDeclaredFields()), Stream.of(type.getDeclaredMethods()))
                        .flatMap(each -> each.map(AnnotatedElement.class::cast))
                        .flatMap(element -> Stream.of(element.getDeclaredAnnotations()))
                        .map(Annotation::annotationType)
                        .anyMatch(each -> each.getName().startsWith("com.fasterxml.jackson.")
                                || each.getName().startsWith("picocli."))
                || CommandLine.IVersionProvider.class.isAssignableFrom(type) && !type.isInterface()
                || CommandLine.ITypeConverter.class.isAssignableFrom(type) && !type.isInterface();
    }

    /// @return class names with slashes
    static Collection<String> namedByNatives() throws IOException {
        Collection<String> names = new TreeSet<>();
        for (String file : NATIVES) {
            Matcher name = CLASS_IN_NATIVE.matcher(content(file));
            while (name.find()) {
                names.add(name.group(1));
            }
        }
        return names;
    }

    /// The bytes of a file of the class path, as characters.
    private static String content(String file) throws IOException {
        try (InputStream in = Objects.requireNonNull(
                NativeImageMetadata.class.getClassLoader().getResourceAsStream(file), file)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /// Trainyard's own resources and services, and JCuda's native libraries.
    private static Collection<String> resources(Collection<String> files) {
        Collection<String> globs = new TreeSet<>(NATIVES);
        globs.add("META-INF/maven/io.trainyard/trainyard/pom.properties");
        files.stream()
                .filter(file -> file.startsWith("META-INF/services/")
                        || (file.startsWith("io/trainyard/") && !file.endsWith(".class")))
                .forEach(globs::add);
        return globs;
    }
}
