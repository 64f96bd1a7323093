package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.s3.S3FaultProxy;
import io.trainyard.s3.S3FaultProxy.Fate;
import io.trainyard.s3.S3Server;
import io.trainyard.s3.S3ServerAccess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A store in a bucket of a real server, with requests and answers that are lost or damaged.
abstract class AbstractS3StoreTest extends AbstractCheckpointStoreTest {
    private static final Duration SOON = Duration.ofSeconds(2);

    S3FaultProxy proxy;

    /// The same store behind the proxy.
    private CheckpointStore behind;

    abstract S3Server server();

    @BeforeEach
    void stand() {
        proxy = new S3FaultProxy(server());
        behind = behind(Patience.LIMIT);
    }

    private CheckpointStore behind(Duration timeout) {
        return S3Store.open(place, S3Server.settings(proxy.endpoint(), timeout));
    }

    @AfterEach
    void stopStanding() {
        proxy.close();
    }

    @Override
    URI newPlace() {
        return server().newBucket();
    }

    @Override
    CheckpointStore open(URI at) {
        return S3Store.open(at, server().settings());
    }

    @Override
    CheckpointStore openToRead(URI at) {
        return S3Store.openToRead(at, server().settings());
    }

    @Override
    String scheme() {
        return "s3";
    }

    @Override
    List<String> unfinished(String folder) {
        return S3ServerAccess.uploads(server(), place, folder);
    }

    @Override
    void begin(String folder) {
        S3ServerAccess.begin(server(), place, folder + "/begun");
    }

    @Override
    void putIdentity(String text) {
        S3ServerAccess.put(server(), place, ".store-id", text.getBytes(StandardCharsets.UTF_8));
    }

    /// The probe object is deleted as well.
    @Test
    void openingLeavesNothing() {
        assertThat(S3ServerAccess.keys(server(), place)).isEmpty();
        assertThat(store.identity()).isNotEmpty();
        assertThat(S3ServerAccess.keys(server(), place)).containsExactly("check/points/.store-id");
    }

    /// The server has processed the first request, or the last one, without an answer.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCreateWithALostAnswerSucceeds(int lost) throws IOException {
        loseAnswers("PUT", "attempts/1", lost);
        assertThat(behind.createIfAbsent("job/attempts/1", new byte[] {'a'})).isTrue();
        assertThat(behind.createIfAbsent("job/attempts/1", new byte[] {'a'})).isFalse();
        assertThat(store.createIfAbsent("job/attempts/2", new byte[] {'b'})).isTrue();
        loseAnswers("PUT", "attempts/2", lost);
        assertThat(behind.createIfAbsent("job/attempts/2", new byte[] {'b'})).isFalse();
        assertThat(read("job/attempts/1")).isEqualTo("a");
    }

    @Test
    void writesSucceedAlthoughAnswersAreLost() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        proxy.rule(_ -> requests.incrementAndGet() % 2 == 1 ? new Fate.AnswerLost() : Fate.ARRIVES);
        CheckpointRef small = behind.write("job/small", out -> out.write(7));
        byte[] large = new byte[11 << 20];
        large[large.length - 1] = 1;
        CheckpointRef ref = behind.write("job/large", out -> out.write(large));
        behind.note("job/note");
        behind.delete("job/small");
        assertThat(behind.list("job")).containsExactly("job/large", "job/note");
        assertThat(small.bytes()).isEqualTo(1);
        assertThat(ref.sha256()).isEqualTo(sha256(large));
        assertThat(store.read("job/large").orElseThrow()).isEqualTo(large);
    }

    private void loseAnswers(String method, String text, int most) {
        AtomicInteger lost = new AtomicInteger();
        proxy.rule(request ->
                request.is(method, text) && lost.incrementAndGet() <= most ? new Fate.AnswerLost() : Fate.ARRIVES);
    }

    /// Busy, or two conditional writes at once: the request is retried.
    @ParameterizedTest
    @CsvSource({"503, SlowDown", "500, InternalError", "409, ConditionalRequestConflict"})
    void retriesTransientErrors(int status, String code) throws IOException {
        AtomicInteger refused = new AtomicInteger();
        proxy.rule(request ->
                request.writes() && refused.incrementAndGet() <= 2 ? new Fate.Refused(status, code) : Fate.ARRIVES);
        assertThat(behind.createIfAbsent("job/a", new byte[] {'a'})).isTrue();
        assertThat(refused).hasValue(3);
        assertThat(read("job/a")).isEqualTo("a");
    }

    /// A lasting problem is reported as a failure of the store, with its reason.
    @ParameterizedTest
    @CsvSource({"503, SlowDown, 4", "409, ConditionalRequestConflict, 4", "507, InsufficientStorage, 1"})
    void reportsPermanentErrors(int status, String code, int tries) throws IOException {
        write("job/a", "one");
        AtomicInteger refused = new AtomicInteger();
        proxy.rule(_ -> {
            refused.incrementAndGet();
            return new Fate.Refused(status, code);
        });
        assertThatThrownBy(() -> behind.write("job/a", out -> out.write('2')))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(
                        "%s cannot be written: the server answered %d %s", store.uri("job/a"), status, code);
        assertThat(refused).hasValue(tries);
        assertThat(read("job/a")).isEqualTo("one");
    }

    @Test
    void doesNotRetryForbiddenRequests() {
        AtomicInteger refused = new AtomicInteger();
        proxy.rule(_ -> {
            refused.incrementAndGet();
            return new Fate.Refused(403, "AccessDenied");
        });
        List<Runnable> uses = List.of(
                () -> behind.write("job/a", out -> out.write(1)),
                () -> behind.createIfAbsent("job/a", new byte[1]),
                () -> behind.open("job/a"),
                () -> behind.has("job/a"),
                () -> behind.list("job"),
                () -> behind.delete("job/a"),
                () -> behind.sweep("job"),
                () -> behind.note("job/a"),
                behind::identity);
        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use::run)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("cannot be")
                        .hasMessageContaining(": the server answered 403")
                        .hasMessageNotContaining("null"));
        assertThat(refused).hasValue(uses.size());
    }

    @Test
    void aSilentServerCausesATimeout() throws IOException {
        CheckpointStore impatient = behind(SOON);
        write("job/a", "one");
        proxy.rule(_ -> Fate.HANGS);
        long began = System.nanoTime();
        assertThatThrownBy(() -> impatient.read("job/a"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("did not answer in time (TRAINYARD_S3_TIMEOUT)");
        assertThatThrownBy(() -> impatient.write("job/a", out -> out.write('2')))
                .isInstanceOf(StoreException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(30));
        assertThat(read("job/a")).isEqualTo("one");
    }

    @Test
    void reportsAnUnreachableServer() {
        proxy.close();
        assertThatThrownBy(() -> behind.has("job/a"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be looked for: the server cannot be reached");
    }

    @Test
    void anInterruptedAnswerIsAnError() {
        write("job/a", "0123456789".repeat(1000));
        proxy.rule(request -> request.is("GET", "job/a") ? new Fate.Torn() : Fate.ARRIVES);
        assertThatThrownBy(() -> behind.read("job/a"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("job/a cannot be read: ");
    }

    /// Another client has overwritten the object but left its metadata.
    @Test
    void aDamagedObjectIsNotAStoreFailure() {
        S3ServerAccess.putClaiming(server(), place, "job/a", "other".getBytes(StandardCharsets.UTF_8), "0".repeat(64));
        assertThatThrownBy(() -> store.read("job/a"))
                .isInstanceOf(CheckpointException.class)
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining("has other bytes than were written");
    }

    @Test
    void refusesAServerThatIgnoresPreconditions() {
        proxy.rule(_ -> new Fate.Pretends());
        assertThatThrownBy(() -> behind(Patience.LIMIT))
                .isInstanceOf(CheckpointException.class)
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining("If-None-Match")
                .hasMessageContaining("use a server with conditional writes");
        assertThat(S3ServerAccess.keys(server(), place)).as("the probe is gone").isEmpty();
    }

    @Test
    void doesNotCreateAMissingBucket() {
        URI nowhere = URI.create("s3://nobody-has-made-this/x");
        assertThatThrownBy(() -> open(nowhere))
                .isInstanceOf(StoreException.class)
                .hasMessage(
                        "s3://nobody-has-made-this/x cannot be read: the server answered 404 NoSuchBucket; make the bucket, or name another");
        assertThatThrownBy(() -> openToRead(nowhere)).isInstanceOf(StoreException.class);
    }

    /// The server's messages are not passed on, because they may contain secrets.
    @Test
    void failuresHaveNoSecrets() {
        proxy.rule(_ -> new Fate.Refused(403, "SignatureDoesNotMatch"));
        StringWriter all = new StringWriter();
        for (Runnable use : List.<Runnable>of(
                () -> behind.read("job/a"),
                () -> behind.write("job/a", out -> out.write(1)),
                () -> behind.list("job"))) {
            try {
                use.run();
            } catch (StoreException e) {
                e.printStackTrace(new PrintWriter(all, true));
            }
        }
        assertThat(all.toString())
                .contains("AWS_SECRET_ACCESS_KEY")
                .doesNotContain(S3ServerAccess.secret())
                .doesNotContain(S3ServerAccess.user())
                .doesNotContain("Signature=");
    }

    /// Whether the server supports encryption.
    abstract boolean encrypts();

    @Test
    void writesForTheServerToEncrypt() {
        if (!encrypts()) {
            assertThatThrownBy(() -> S3Store.open(place, S3ServerAccess.encrypting(proxy.endpoint())))
                    .as("nothing is written that is not encrypted")
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the server answered 501 NotImplemented");
            return;
        }
        CheckpointStore encrypted = S3Store.open(place, S3ServerAccess.encrypting(proxy.endpoint()));
        int before = proxy.seen().size();
        CheckpointRef _ = encrypted.write("job/a", out -> out.write(1));
        CheckpointRef _ = encrypted.write("job/large", out -> out.write(new byte[6 << 20]));
        assertThat(proxy.seen().subList(before, proxy.seen().size()))
                .filteredOn(request -> request.is("PUT", "job/a") || request.is("POST", "uploads"))
                .hasSize(2)
                .allSatisfy(request ->
                        assertThat(request.headers()).containsIgnoringCase("x-amz-server-side-encryption: AES256"));
        assertThat(store.read("job/a").orElseThrow()).hasSize(1);
    }

    @Test
    void aLargeObjectIsSentInPartsAndASmallOneInOneRequest() {
        int before = proxy.seen().size();
        CheckpointRef _ = behind.write("job/large", out -> {
            for (int i = 0; i < 11; i++) {
                out.write(new byte[1 << 20]);
            }
        });
        assertThat(proxy.seen().subList(before, proxy.seen().size()))
                .as("begun, three parts, completed")
                .hasSize(5)
                .filteredOn(request -> request.is("PUT", "partNumber"))
                .hasSize(3)
                .allSatisfy(part -> assertThat(part.headers()).containsIgnoringCase("x-amz-checksum-sha256"));
        before = proxy.seen().size();
        assertThat(behind.createIfAbsent("job/small", new byte[9])).isTrue();
        assertThat(proxy.seen().subList(before, proxy.seen().size()))
                .singleElement()
                .satisfies(put -> assertThat(put.headers())
                        .containsIgnoringCase("If-None-Match: *")
                        .containsIgnoringCase("x-amz-checksum-sha256"));
    }
}
