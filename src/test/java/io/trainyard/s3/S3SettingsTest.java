package io.trainyard.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.s3.S3Settings.Encryption;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class S3SettingsTest {
    @Test
    void amazonIsAddressedByHostsAndItsRegionIsLookedForByItsLibrary() {
        S3Settings settings = S3Settings.of(Map.of());
        assertThat(settings.endpoint()).isNull();
        assertThat(settings.region()).isNull();
        assertThat(settings.pathStyle()).isFalse();
        assertThat(settings.encryption()).isNull();
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void anotherServerIsAddressedByPathsAndNeedsNoRegion() {
        S3Settings settings = S3Settings.of(Map.of(
                "AWS_ENDPOINT_URL", "http://general:1", "AWS_ENDPOINT_URL_S3", "http://store:9000", "AWS_REGION", ""));
        assertThat(settings.endpoint()).isEqualTo(URI.create("http://store:9000"));
        assertThat(settings.region()).isEqualTo("us-east-1");
        assertThat(settings.pathStyle()).isTrue();
    }

    @Test
    void appliesSettings() {
        S3Settings settings = S3Settings.of(Map.of(
                "AWS_ENDPOINT_URL", "https://store",
                "AWS_DEFAULT_REGION", "eu-west-1",
                "TRAINYARD_S3_ADDRESSING", "virtual",
                "TRAINYARD_S3_ENCRYPTION", "aws:kms",
                "TRAINYARD_S3_KMS_KEY", "alias/trainyard",
                "TRAINYARD_S3_TIMEOUT", "5s"));
        assertThat(settings.region()).isEqualTo("eu-west-1");
        assertThat(settings.pathStyle()).isFalse();
        assertThat(settings.encryption()).isEqualTo(Encryption.KMS);
        assertThat(settings.kmsKey()).isEqualTo("alias/trainyard");
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @CsvSource({
        "TRAINYARD_S3_ADDRESSING, host, allowed is path",
        "TRAINYARD_S3_ENCRYPTION, DES, allowed is AES256 or aws:kms",
        "TRAINYARD_S3_TIMEOUT, 5, allowed is 1s to 9999s",
        "TRAINYARD_S3_KMS_KEY, alias/x, TRAINYARD_S3_ENCRYPTION is not aws:kms",
    })
    void reportsAllowedValues(String name, String value, String published) {
        assertThatThrownBy(() -> S3Settings.of(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + " is ")
                .hasMessageContaining(published);
    }

    /// The value may contain a password.
    @ParameterizedTest
    @ValueSource(strings = {"https://user:hidden@host", "ftp://hidden", "hidden", "https:// hidden", "http:hidden"})
    void messagesOmitAnInvalidEndpoint(String endpoint) {
        assertThatThrownBy(() -> S3Settings.of(Map.of("AWS_ENDPOINT_URL_S3", endpoint)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allowed is https://host:port")
                .hasMessageNotContaining("hidden")
                .hasNoCause();
    }

    /// Requests to the server for both bucket styles.
    @ParameterizedTest
    @CsvSource({"path, http://store:9000/bucket/a/b", "virtual, http://bucket.store:9000/a/b"})
    void namesABucketInThePathOrInTheHost(String addressing, String url) {
        Map<String, String> environment = new HashMap<>(
                Map.of("AWS_ENDPOINT_URL_S3", "http://store:9000", "TRAINYARD_S3_ADDRESSING", addressing));
        assertThat(S3Clients.of(S3Settings.of(environment))
                        .utilities()
                        .getUrl(request -> request.bucket("bucket").key("a/b")))
                .hasToString(url);
    }

    @Test
    void aLocationIsABucketAndAPrefix() {
        S3Location place = S3Location.of(URI.create("s3://my.bucket-1/check/points/"));
        assertThat(place).isEqualTo(new S3Location("my.bucket-1", "check/points"));
        assertThat(place.full("job/a")).isEqualTo("check/points/job/a");
        assertThat(place.key("check/points/job/a")).isEqualTo("job/a");
        assertThat(place.uri("job/a")).hasToString("s3://my.bucket-1/check/points/job/a");
        S3Location all = S3Location.of(URI.create("s3://bucket"));
        assertThat(all.full("job/a")).isEqualTo("job/a");
        assertThat(all.uri("job/a")).hasToString("s3://bucket/job/a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3:///a", "s3://B/a", "s3://bucket/../a", "s3://bucket/a//b", "s3://bucket/.a", "s3:a"})
    void refusesInvalidLocations(String uri) {
        assertThatThrownBy(() -> S3Location.of(URI.create(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(uri)
                .hasMessageContaining("allowed is s3://bucket/prefix");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"s3://key:hidden@bucket/a", "s3://hidden@bucket", "s3://bucket/a?secret=hidden", "s3://b#hidden"
            })
    void aLocationHasNoCredentials(String uri) {
        assertThatThrownBy(() -> S3Location.of(URI.create(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allowed is s3://bucket/prefix: credentials come from")
                .hasMessageNotContaining("hidden");
    }
}
