package io.trainyard.training;

import io.trainyard.s3.S3Server;

class S3ProxyFaultsTest extends AbstractBucketFaultsTest {
    @Override
    S3Server server() {
        return S3Server.S3PROXY;
    }
}
