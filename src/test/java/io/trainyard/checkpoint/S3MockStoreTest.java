package io.trainyard.checkpoint;

import io.trainyard.Slow;
import io.trainyard.s3.S3Server;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Slow
class S3MockStoreTest extends AbstractS3StoreTest {
    @Override
    S3Server server() {
        return S3Server.S3MOCK;
    }

    @Override
    boolean encrypts() {
        return true;
    }

    @Disabled("S3Mock 5.2 looks whether an object is there, and then writes it: of 32 at once two or three pass")
    @Test
    @Override
    void oneOfManyCreates() {}

    @Disabled("the same")
    @Test
    @Override
    void concurrentReadersGetTheSameIdentity() {}

    @Disabled("S3Mock 5.2 forgets the object of a name when an upload in parts to that name is begun")
    @ParameterizedTest
    @ValueSource(ints = 0)
    @Override
    void leavesTheOldObjectWhenWritingFails(int bytes) {}
}
