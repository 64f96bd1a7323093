package io.trainyard.s3;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// The S3 clients of the process, one for each configuration. They are never closed.
final class S3Clients {
    private static final ConcurrentMap<S3Settings, S3Client> OPEN = new ConcurrentHashMap<>();

    private static final int TRIES = 4;
    private static final Duration MOST_TO_CONNECT = Duration.ofSeconds(5);

    private S3Clients() {}

    static S3Client of(S3Settings settings) {
        return OPEN.computeIfAbsent(settings, S3Clients::open);
    }

    private static S3Client open(S3Settings settings) {
        Duration aTry = settings.timeout().dividedBy(2);
        S3ClientBuilder builder = S3Client.builder()
                .httpClient(UrlConnectionHttpClient.builder()
                        .connectionTimeout(aTry.compareTo(MOST_TO_CONNECT) < 0 ? aTry : MOST_TO_CONNECT)
                        .socketTimeout(settings.timeout())
                        .build())
                .credentialsProvider(DefaultCredentialsProvider.builder().build())
                // Each request already has its own hash, and older servers do not support the checksums that the
                // library would add.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(S3Configuration.builder()
                        .pathStyleAccessEnabled(settings.pathStyle())
                        .chunkedEncodingEnabled(false) // bodies are in memory and signed as a whole
                        .expectContinueEnabled(
                                false) // parts are small, and Java's client loses the response of a server that refuses
                        .build())
                .overrideConfiguration(ClientOverrideConfiguration.builder()
                        .apiCallTimeout(settings.timeout())
                        .apiCallAttemptTimeout(aTry)
                        .retryStrategy(retries())
                        .build());
        URI endpoint = settings.endpoint();
        if (endpoint != null) {
            builder.endpointOverride(endpoint);
        }
        String region = settings.region();
        if (region != null) {
            builder.region(Region.of(region));
        }
        return builder.build();
    }

    /// Also retries conflicts, because the server may refuse both of two concurrent conditional writes.
    private static StandardRetryStrategy retries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(TRIES)
                .retryOnException(e -> e instanceof S3Exception refusal && refusal.statusCode() == S3Failures.CONFLICT)
                .build();
    }
}
