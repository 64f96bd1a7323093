package io.trainyard.checkpoint;

import io.trainyard.Slow;
import io.trainyard.s3.S3Server;

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
}
