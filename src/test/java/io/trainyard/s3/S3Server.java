package io.trainyard.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A third-party server for the S3 protocol: a process on this machine that starts at the first use and lives
/// as long as this JVM.
public enum S3Server {
    /// Stores objects as files and verifies signatures. The bucket may be in the path or in the host name.
    S3PROXY("s3proxy-jar-with-dependencies.jar", "\\{127\\.0\\.0\\.1:([0-9]+)}") {
        @Override
        List<String> arguments(Path folder) throws IOException {
            Path objects = Files.createDirectory(folder.resolve("objects"));
            Path settings = Files.writeString(folder.resolve("s3proxy.conf"), """
                    s3proxy.endpoint=http://127.0.0.1:0
                    s3proxy.virtual-host=localhost
                    s3proxy.authorization=aws-v2-or-v4
                    s3proxy.identity=%s
                    s3proxy.credential=%s
                    jclouds.provider=filesystem-nio2
                    jclouds.identity=none
                    jclouds.credential=none
                    jclouds.filesystem.basedir=%s
                    """.formatted(USER, SECRET, objects));
            return List.of("--properties", settings.toString());
        }
    },

    /// Stores objects in memory and files; verifies nothing.
    S3MOCK("s3mock-exec.jar", "started on ports .* ([0-9]+) \\(http\\)") {
        @Override
        List<String> arguments(Path folder) {
            return List.of("--server.port=0", "--http.port=0");
        }
    };

    static final String USER = "trainyard-test";
    static final String SECRET = "wJalrXUtnFEMIplantedSECRETbPxRfiCY";

    private final String jar;
    private final Pattern port;
    private int listens;

    S3Server(String jar, String port) {
        this.jar = jar;
        this.port = Pattern.compile(port);
    }

    abstract List<String> arguments(Path folder) throws IOException;

    /// `http://localhost:port`
    public URI endpoint() {
        return endpoint(port());
    }

    static URI endpoint(int port) {
        return URI.create("http://localhost:" + port);
    }

    /// Its port on this machine.
    synchronized int port() {
        if (listens == 0) {
            listens = start();
        }
        return listens;
    }

    /// A new bucket for a test, and a prefix in it.
    public URI newBucket() {
        String bucket = "bucket-" + UUID.randomUUID();
        var _ = S3Clients.of(settings()).createBucket(request -> request.bucket(bucket));
        return URI.create("s3://" + bucket + "/check/points");
    }

    /// This JVM's settings for it.
    public S3Settings settings() {
        return settings(endpoint(), Duration.ofSeconds(120));
    }

    /// This JVM's settings for it behind a proxy, with the smallest part size.
    public static S3Settings settings(URI endpoint, Duration timeout) {
        signIn();
        return new S3Settings(endpoint, "eu-central-1", true, null, null, timeout, S3Settings.MIN_PART_BYTES);
    }

    private static void signIn() {
        System.setProperty("aws.accessKeyId", USER);
        System.setProperty("aws.secretAccessKey", SECRET);
    }

    /// The environment of a process that uses it directly or through a proxy.
    public static Map<String, String> environment(URI endpoint) {
        return Map.of(
                "AWS_ENDPOINT_URL_S3", endpoint.toString(), "AWS_ACCESS_KEY_ID", USER, "AWS_SECRET_ACCESS_KEY", SECRET);
    }

    private int start() {
        try {
            Path target = Path.of("target").toAbsolutePath();
            Path folder = Files.createTempDirectory(Files.createDirectories(target.resolve("s3-work")), name());
            Path log = folder.resolve("log");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-XX:TieredStopAtLevel=1",
                    "-Djava.io.tmpdir=" + folder,
                    "-jar",
                    target.resolve("s3-servers").resolve(jar).toString()));
            command.addAll(arguments(folder));
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return Patience.await(name() + " to listen; its log is " + log)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> portIn(process, log), found -> found > 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int portIn(Process process, Path log) throws IOException {
        String said = Files.readString(log, StandardCharsets.UTF_8);
        Matcher published = port.matcher(said);
        if (published.find()) {
            return Integer.parseInt(published.group(1));
        }
        assertThat(process.isAlive()).as(said).isTrue();
        return 0;
    }
}
