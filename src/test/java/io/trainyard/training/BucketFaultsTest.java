package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.S3Stores;
import io.trainyard.s3.S3FaultProxy;
import io.trainyard.s3.S3FaultProxy.Fate;
import io.trainyard.s3.S3Server;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A bucket behind a proxy that behaves like faulty networks and servers. `S3MockStoreTest` covers other
/// servers.
class BucketFaultsTest extends AbstractStoreFaultsTest {
    /// Far longer than a healthy server needs; the tests wait for it several times.
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @SuppressWarnings("NullAway.Init") // initialised by open
    private S3FaultProxy proxy;

    @Override
    CheckpointStore open() {
        proxy = new S3FaultProxy(S3Server.S3PROXY);
        return S3Stores.open(S3Server.S3PROXY.newBucket(), S3Server.settings(proxy.endpoint(), TIMEOUT));
    }

    @Override
    void trouble(Trouble trouble) {
        proxy.rule(
                switch (trouble) {
                    case AWAY -> _ -> new Fate.AnswerLost();
                    case READ_ONLY ->
                        request -> request.writes() ? new Fate.Refused(403, "AccessDenied") : Fate.ARRIVES;
                    case FULL ->
                        request -> request.is("PUT", "") ? new Fate.Refused(507, "InsufficientStorage") : Fate.ARRIVES;
                    case HANGING -> _ -> Fate.HANGS;
                });
    }

    @Override
    void mend() {
        proxy.rule(_ -> Fate.ARRIVES);
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    /// Applies to all requests.
    @Test
    void lostAnswersCostOnlyTime() {
        AtomicInteger requests = new AtomicInteger();
        proxy.rule(_ -> requests.incrementAndGet() % 2 == 1 ? new Fate.AnswerLost() : Fate.ARRIVES);
        JobFolder folder = new JobFolder(store, "a");
        assertThat(finish(folder)).hasSize(64);
        assertThat(folder.link(1)).containsInstanceOf(ChainLink.Owner.class);
        assertThat(folder.link(2)).containsInstanceOf(ChainLink.End.class);
    }
}
