package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.s3.S3FaultProxy.Request;
import io.trainyard.s3.S3Server;
import io.trainyard.s3.S3ServerAccess;
import java.util.List;
import org.junit.jupiter.api.Test;

@Slow
class S3ProxyStoreTest extends AbstractS3StoreTest {
    @Override
    S3Server server() {
        return S3Server.S3PROXY;
    }

    @Override
    boolean encrypts() {
        return false;
    }

    /// S3Mock 5.2 does not support this: it answers 404.
    @Test
    void aBucketMayBeNamedInTheHost() throws Exception {
        int before = proxy.seen().size(); // from another store
        CheckpointStore byHost = S3Store.open(place, S3ServerAccess.byHost(proxy.endpoint()));
        assertThat(byHost.createIfAbsent("job/attempts/1", new byte[] {'a'})).isTrue();
        assertThat(byHost.createIfAbsent("job/attempts/1", new byte[] {'b'})).isFalse();
        byte[] large = new byte[6 << 20];
        large[large.length - 1] = 1;
        CheckpointRef ref = byHost.write("job/large", out -> out.write(large));
        assertThat(ref.sha256()).isEqualTo(sha256(large));
        assertThat(byHost.list("job")).containsExactly("job/attempts", "job/large");
        byHost.delete("job/attempts/1");

        assertThat(store.has("job/attempts/1")).isFalse();
        assertThat(store.read("job/large").orElseThrow()).isEqualTo(large);
        String bucket = place.getAuthority();
        List<Request> all = proxy.seen();
        List<Request> seen = all.subList(before, all.size());
        assertThat(seen)
                .hasSizeGreaterThan(8)
                .allSatisfy(request -> assertThat(request.line()).doesNotContain(bucket))
                .allSatisfy(request -> assertThat(request.headers())
                        .containsIgnoringCase(
                                "Host: %s.%s".formatted(bucket, proxy.endpoint().getAuthority())));
    }
}
