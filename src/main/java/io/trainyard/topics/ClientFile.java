package io.trainyard.topics;

import io.trainyard.spec.Printable;
import io.trainyard.spec.SimilarNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.types.Password;

/// The operator's file with Kafka's connection and authentication settings. It may contain the settings that
/// all Kafka clients have in common, except those that Trainyard sets itself.
final class ClientFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_TEXT = 200;
    private static final int MAX_SECRET_LEFT_ALONE = 2; // replacing shorter ones would only garble the message

    /// The setting for value providers, as in `${env:NAME}` and `${file:/path:key}`.
    private static final String PROVIDERS = "config.providers";

    /// Common settings that Trainyard sets for each client.
    private static final Set<String> OWN = Set.of(
            CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
            CommonClientConfigs.CLIENT_ID_CONFIG,
            CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG);

    /// The secret options of a login module. Others, such as the user name, may appear in messages.
    private static final Pattern SECRET_OPTION = Pattern.compile(
            "(?i)\\w*(?:password|secret|token|key)\\w*\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s;\"']+))");
    private static final Pattern LEFT = Pattern.compile("\\$\\{[^}]*}");

    /// Kafka requests tokens only from URLs in this system property. It protects processes in which other
    /// parties set client settings. Here the operator gives the file and starts the process.
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

    /// Host names that need no DNS lookup.
    private static final String THIS_MACHINE = "localhost|127(\\.[0-9]{1,3}){3}|\\[::1]";

    /// The timeout for a response of the token endpoint in ms. Kafka has no default.
    private static final String TOKEN_MILLIS = "10000";

    private final Path path;
    private final Map<String, String> settings;
    private final Set<String> secrets;

    private ClientFile(Path path, Map<String, String> settings, Set<String> secrets) {
        this.path = path;
        this.settings = settings;
        this.secrets = secrets;
    }

    /// @throws KafkaConfigException if it cannot be read or contains a forbidden setting
    static ClientFile read(Path path) {
        Map<String, String> settings = load(path);
        Set<String> known = known();
        Set<String> shared = shared();
        for (String name : settings.keySet()) {
            if (shared.contains(name) || name.equals(PROVIDERS) || name.startsWith(PROVIDERS + ".")) {
                continue;
            }
            throw new KafkaConfigException("%s: %s"
                    .formatted(
                            path, known.contains(name) ? ours(name) : "unknown setting %s".formatted(unknown(name))));
        }
        ClientFile unchecked = new ClientFile(path, settings, secrets(settings));
        try {
            AbstractConfig config = new AdminClientConfig(unchecked.withAddress());
            Map<String, String> resolved = new TreeMap<>();
            settings.keySet()
                    .forEach(name ->
                            resolved.put(name, String.valueOf(config.originals().get(name))));
            ClientFile file = new ClientFile(path, withBounds(settings), secrets(resolved));
            file.requireResolved(settings, resolved);
            file.allowTokens(resolved);
            return file;
        } catch (KafkaException e) {
            throw unchecked.unusable(e);
        }
    }

    private Map<String, Object> withAddress() {
        Map<String, Object> all = new HashMap<>(settings);
        all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "localhost:9092"); // required but unused
        return all;
    }

    private static Map<String, String> load(Path path) {
        Properties properties = new Properties();
        try {
            if (Files.size(path) > MAX_BYTES) {
                throw unreadable(path, "it is larger than %d bytes".formatted(MAX_BYTES));
            }
            try (InputStream in = Files.newInputStream(path);
                    Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
                properties.load(reader);
            }
        } catch (NoSuchFileException _) {
            throw unreadable(path, "it does not exist");
        } catch (IOException | IllegalArgumentException e) { // IllegalArgumentException is thrown for an invalid escape
            throw unreadable(
                    path,
                    Files.isDirectory(path) ? "it is a folder" : e.getClass().getSimpleName());
        }
        Map<String, String> settings = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        return settings;
    }

    private static KafkaConfigException unreadable(Path path, String why) {
        return new KafkaConfigException(
                "the Kafka configuration %s cannot be read: %s; set --kafka-config FILE or TRAINYARD_KAFKA_CONFIG to a properties file in the format of Kafka's tools"
                        .formatted(path, why));
    }

    private static Set<String> known() {
        return Stream.of(ProducerConfig.configNames(), ConsumerConfig.configNames(), AdminClientConfig.configNames())
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
    }

    /// The names that the file may contain.
    static Set<String> shared() {
        Set<String> shared = new TreeSet<>(AdminClientConfig.configNames());
        shared.retainAll(ProducerConfig.configNames());
        shared.retainAll(ConsumerConfig.configNames());
        shared.removeAll(OWN);
        return shared;
    }

    private static String ours(String name) {
        return switch (name) {
            case CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG ->
                "bootstrap.servers is not allowed here; remove the line, and set the brokers with --kafka HOST:PORT or TRAINYARD_KAFKA";
            default ->
                "%s is set by Trainyard, because its guarantees depend on it; remove the line. Allowed are connection settings: security.protocol, ssl.*, sasl.* and others that all Kafka clients have in common"
                        .formatted(name);
        };
    }

    private static String unknown(String name) {
        String shown = Printable.text(name, MAX_TEXT);
        List<String> near = SimilarNames.of(shown, shared());
        return "\"%s\"%s; allowed are connection settings: security.protocol, ssl.*, sasl.* and others that all Kafka clients have in common"
                .formatted(shown, near.isEmpty() ? "" : " (is it %s?)".formatted(near.getFirst()));
    }

    private void requireResolved(Map<String, String> written, Map<String, String> resolved) {
        written.forEach((name, value) -> {
            Matcher left = LEFT.matcher(value);
            if (left.find() && String.valueOf(resolved.get(name)).contains(left.group())) {
                throw new KafkaConfigException(
                        "%s: %s has %s, which cannot be resolved; allowed with config.providers=env and config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider is ${env:NAME} of a variable that is set"
                                .formatted(path, name, Printable.text(left.group(), MAX_TEXT)));
            }
        });
    }

    private static Map<String, String> withBounds(Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(settings);
        if ("OAUTHBEARER".equals(settings.get(SaslConfigs.SASL_MECHANISM))) {
            all.putIfAbsent(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, TOKEN_MILLIS);
            all.putIfAbsent(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, TOKEN_MILLIS);
        }
        return Map.copyOf(all);
    }

    private void allowTokens(Map<String, String> settings) {
        String allowedUrls = System.getProperty(ALLOWED_URLS);
        String tokens = settings.get(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL);
        if (tokens != null
                && isInTheClear(tokens)
                && (allowedUrls == null || !List.of(allowedUrls.split(",")).contains(tokens))) {
            throw new KafkaConfigException(
                    "%s: %s begins with http, so the client secret would be sent unencrypted; allowed is https://, or http://localhost. To send it nevertheless, add this address to TRAINYARD_JAVA_OPTS=-D%s="
                            .formatted(path, SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, ALLOWED_URLS));
        }
        String urls = Stream.of(tokens, settings.get(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL))
                .filter(url -> url != null && !url.isBlank())
                .distinct()
                .collect(Collectors.joining(","));
        if (!urls.isEmpty() && allowedUrls == null) {
            System.setProperty(ALLOWED_URLS, urls);
        }
    }

    /// Whether a URL uses plain HTTP to another machine. Kafka refuses invalid URLs itself.
    private static boolean isInTheClear(String url) {
        try {
            URI uri = new URI(url.strip());
            return "http".equalsIgnoreCase(uri.getScheme())
                    && !String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT).matches(THIS_MACHINE);
        } catch (URISyntaxException _) {
            return false;
        }
    }

    private static Set<String> secrets(Map<String, String> settings) {
        Set<String> secrets = new HashSet<>();
        Map<String, ConfigDef.ConfigKey> keys = AdminClientConfig.configDef().configKeys();
        settings.forEach((name, value) -> {
            ConfigDef.ConfigKey key = keys.get(name);
            if (key != null && key.type == ConfigDef.Type.PASSWORD) {
                secrets.add(value);
                Matcher options = SECRET_OPTION.matcher(value);
                while (options.find()) {
                    Stream.of(1, 2, 3)
                            .map(options::group)
                            .filter(text -> text != null)
                            .forEach(secrets::add);
                }
            }
        });
        secrets.removeIf(secret -> secret.length() <= MAX_SECRET_LEFT_ALONE);
        return secrets;
    }

    Map<String, String> settings() {
        return settings;
    }

    Path path() {
        return path;
    }

    /// Why no client can be created: the messages of the causes in order, without secrets.
    KafkaConfigException unusable(Throwable problem) {
        String why = hide(String.join(": ", reasons(problem)));
        String advice = why.contains("SSL keystore") || why.contains("keystore password")
                ? "ssl.truststore.location, ssl.truststore.password and ssl.truststore.type, or those of ssl.keystore"
                : "the named setting; sasl.jaas.config must end with a semicolon";
        return new KafkaConfigException("%s: these settings cannot be used to connect to Kafka: %s; check %s"
                .formatted(path, Printable.text(why, 1000), advice));
    }

    /// The messages of the causes, without those that only wrap another cause.
    static List<String> reasons(Throwable problem) {
        Set<String> reasons = new LinkedHashSet<>();
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            Throwable below = cause.getCause();
            boolean wraps = below != null
                    && (message == null
                            || message.startsWith("Failed to c") // "create new KafkaAdminClient", "construct kafka ..."
                            || message.contains(String.valueOf(below.getMessage())));
            if (!wraps) {
                reasons.add(message == null ? cause.getClass().getSimpleName() : sentence(message));
            }
        }
        return List.copyOf(reasons);
    }

    /// The login module uses whole stack traces as message.
    private static String sentence(String message) {
        return message.lines().findFirst().orElse("");
    }

    String hide(String text) {
        String hidden = text;
        for (String secret : secrets) {
            hidden = hidden.replace(secret, Password.HIDDEN);
        }
        return hidden;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
