package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.alert.AlertFormat;
import io.trainyard.spec.Printable;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "dashboard",
        description = "Serves the dashboard of jobs and workers, until stopped.",
        mixinStandardHelpOptions = true,
        exitCodeList = {
            ExitCodes.UNEXPECTED_HELP,
            "2:a wrong option, a port in use, an unreachable tracking store or provider",
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {
            "  ./trainyard dashboard --kafka kafka:9092",
            "  ./trainyard dashboard --tracking jdbc:sqlite:/var/lib/trainyard/tracking.db"
        })
final class DashboardCommand implements Callable<Integer> {
    private static final int OK = 200;
    private static final int MAX_TEXT = 200;

    /// The path of the page's sign-out link.
    private static final String SIGN_OUT = "/sign-out";

    private static final Pattern PLAIN_HTTP =
            Pattern.compile("http:/*(\\[[^\\]]*]|[^/:?#]*)", Pattern.CASE_INSENSITIVE);

    @Spec
    private CommandSpec spec;

    @Mixin
    private KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "Port; 0: any free port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            defaultValue = "localhost",
            description = "Address; 0.0.0.0: the network (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(
            names = "--read-only",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "${env:TRAINYARD_DASHBOARD_READ_ONLY}",
            paramLabel = "BOOL",
            description =
                    "Refuse changes (default: TRAINYARD_DASHBOARD_READ_ONLY, or true on the network without sign-in).")
    private @Nullable Boolean readOnly;

    @Option(
            names = "--scaler-port",
            paramLabel = "N",
            defaultValue = "${env:TRAINYARD_DASHBOARD_SCALER_PORT}",
            description =
                    "Port for KEDA's scaler; 0: any free port (default: TRAINYARD_DASHBOARD_SCALER_PORT, or none).")
    private @Nullable Integer scalerPort;

    @Option(
            names = "--tracking",
            paramLabel = "URL",
            defaultValue = TrackingOptions.DEFAULT,
            description = TrackingOptions.HELP)
    private String tracking;

    @Option(
            names = "--checkpoints",
            paramLabel = "URI",
            defaultValue = "${env:TRAINYARD_CHECKPOINTS:-checkpoints}",
            description = "Checkpoint store, for downloads (default: TRAINYARD_CHECKPOINTS, or checkpoints).")
    private URI checkpoints = URI.create("checkpoints");

    @Option(
            names = "--sign-in",
            paramLabel = "URL",
            defaultValue = "${env:TRAINYARD_SIGN_IN_ISSUER:-}",
            description = "OpenID Connect provider (default: TRAINYARD_SIGN_IN_ISSUER, or none).")
    private String issuer = "";

    @Option(
            names = "--local",
            arity = "0..1",
            paramLabel = "DIR",
            fallbackValue = "",
            defaultValue = "${env:TRAINYARD_DASHBOARD_LOCAL}",
            description = "Show runs of train, without Kafka (DIR's default: the checkpoint folder).")
    private @Nullable Path local;

    @Override
    public Integer call() {
        requireSafeIssuer();
        requireRuns();
        QuarkusService.requireFree(spec, "--port", host, port);
        if (scalerPort != null) {
            QuarkusService.requireFree(spec, "--scaler-port", host, scalerPort);
        }
        requireTracking();
        requireAlerts();
        if (local == null) {
            TopicAdmin.createMissing(kafka.brokers(), kafka.prefix(), Topic.SHOWN, kafka.timeout());
        }
        Map<String, String> settings = new HashMap<>(kafka.settings());
        settings.put("trainyard.dashboard.local", local == null ? "" : local.toString());
        settings.putAll(projects.settings());
        settings.put("trainyard.dashboard.enabled", "true");
        settings.put("trainyard.dashboard.tracking", tracking);
        settings.put("trainyard.checkpoints", checkpoints.toString());
        if (scalerPort != null) {
            settings.put("trainyard.dashboard.scaler-port", Integer.toString(scalerPort));
        }
        boolean onNetwork = !isLoopback(host);
        boolean closed = Objects.requireNonNullElse(readOnly, onNetwork && issuer.isBlank());
        settings.put("trainyard.dashboard.read-only", Boolean.toString(closed));
        settings.put("quarkus.oidc.authentication.cookie-force-secure", Boolean.toString(onNetwork));
        if (onNetwork && issuer.isBlank()) {
            spec.commandLine()
                    .getErr()
                    .println(
                            closed
                                    ? "This dashboard has no sign-in and listens on the network: it is read-only, and everyone who reaches it sees all jobs. Name a provider (--sign-in), or allow changes with --read-only=false."
                                    : "This dashboard has no sign-in and listens on the network: everyone who reaches it may submit and cancel jobs. Name a provider (--sign-in).");
        }
        if (!issuer.isBlank()) {
            settings.put("trainyard.sign-in.enabled", "true");
            settings.put("trainyard.sign-in.issuer", issuer);
            if (provider().hasNonNull("end_session_endpoint")) { // optional in OpenID Connect
                settings.put("quarkus.oidc.logout.path", SIGN_OUT);
            }
        }
        settings.put("quarkus.http.host", host);
        settings.put("quarkus.http.port", Integer.toString(port));
        return QuarkusService.run(settings, this::announce);
    }

    /// Local runs have their own history, next to them. A given folder is also that of their checkpoints.
    private void requireRuns() {
        if (local == null) {
            return;
        }
        boolean isDefault = local.toString().isEmpty();
        try {
            local = isDefault ? Files.createDirectories(TrainingOptions.runs(checkpoints)) : local;
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "--local: there is no folder to read: " + e, e);
        }
        if (!Files.isDirectory(local)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--local is \"%s\", which is not a folder; allowed is a checkpoint folder of ./trainyard train, or the folder of its --tracking"
                            .formatted(Printable.text(local.toString(), MAX_TEXT)));
        }
        if (!isGiven("--tracking")) {
            tracking = "jdbc:sqlite:" + local.resolve("tracking.db");
        }
        if (!isDefault && !isGiven("--checkpoints")) {
            checkpoints = local.toUri();
        }
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /// Reports an error before Quarkus does so with a stack trace.
    private void requireTracking() {
        try {
            TrackingStore.open(tracking).close();
        } catch (TrackingException e) {
            throw new ParameterException(spec.commandLine(), "--tracking: " + e.getMessage(), e);
        }
    }

    /// Reports an error before Quarkus does so with a stack trace for each bean that depends on the alerts.
    private void requireAlerts() {
        try {
            AlertFormat.check(setting("FORMAT"), setting("URL"), setting("SECRET"));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /// A setting of the alerts; the system property has a value from a file.
    private static Optional<String> setting(String name) {
        String read = System.getProperty("trainyard.dashboard.alerts." + name.toLowerCase(Locale.ROOT));
        return Optional.ofNullable(read == null ? System.getenv("TRAINYARD_DASHBOARD_ALERTS_" + name) : read)
                .filter(text -> !text.isBlank());
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException _) {
            return false; // reported by QuarkusService.requireFree
        }
    }

    /// Refuses a URL with a password, which would appear in several places, and plain HTTP to another machine,
    /// which cannot be trusted.
    private void requireSafeIssuer() {
        if (issuer.matches("(?s)[^/?#]*//[^/?#]*@.*")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--sign-in has a user in its address; allowed is https://host/path: what proves the dashboard to the provider is in TRAINYARD_SIGN_IN_SECRET");
        }
        Matcher plain = PLAIN_HTTP.matcher(issuer);
        if (plain.lookingAt() && !isLoopback(plain.group(1))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--sign-in is \"%s\"; allowed is https://host/path, and http:// for a provider on this machine only: keys and secrets would be sent in the clear"
                            .formatted(Printable.text(issuer, MAX_TEXT)));
        }
    }

    /// The provider's metadata, from the URL that users are also sent to.
    private JsonNode provider() {
        String document = issuer.replaceFirst("/+$", "") + "/.well-known/openid-configuration";
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(kafka.timeout()).build()) {
            HttpRequest question = HttpRequest.newBuilder(URI.create(document))
                    .timeout(kafka.timeout())
                    .build();
            HttpResponse<String> answer = client.send(question, BodyHandlers.ofString());
            if (answer.statusCode() != OK) {
                throw noProvider(document, "it answers " + answer.statusCode(), null);
            }
            return new ObjectMapper().readTree(answer.body());
        } catch (JsonProcessingException e) {
            throw noProvider(document, "its answer is not JSON", e);
        } catch (IOException | IllegalArgumentException e) {
            throw noProvider(
                    document,
                    Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw noProvider(document, "interrupted", e);
        }
    }

    private ParameterException noProvider(String document, String why, @Nullable Exception cause) {
        return new ParameterException(
                spec.commandLine(),
                "--sign-in is \"%s\", but %s cannot be read: %s; allowed is the address of an OpenID Connect provider"
                        .formatted(Printable.text(issuer, MAX_TEXT), Printable.text(document, MAX_TEXT), why),
                cause);
    }

    private void announce() {
        spec.commandLine()
                .getOut()
                .printf("Dashboard: http://%s:%s/ (stop with Ctrl+C)%n", host, QuarkusService.httpPort());
    }
}
