package io.trainyard.worker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// One command that this worker holds. Whatever is waited for meanwhile, its lock is kept.
final class Claim {
    /// How soon is seen that what is waited for is there, or takes too long.
    private static final long TICK_MILLIS = 100;

    private final ShareClaims claims;
    private final ConsumerRecord<byte[], byte[]> command;
    private final ClaimLoop.Settings settings;
    private final StopSignal stop;

    /// @param claims holds `command`
    Claim(ShareClaims claims, ConsumerRecord<byte[], byte[]> command, ClaimLoop.Settings settings, StopSignal stop) {
        this.claims = claims;
        this.command = command;
        this.settings = settings;
        this.stop = stop;
    }

    ConsumerRecord<byte[], byte[]> command() {
        return command;
    }

    /// Settles the command.
    ///
    /// @param said done when all that is to be said about it is with the brokers
    void accept(CompletableFuture<Void> said) throws ClaimLostException, InterruptedException {
        awaitAcknowledged(said);
        claims.settle(AcknowledgeType.ACCEPT);
    }

    /// Gives the command back.
    ///
    /// @param said done when all that is to be said about it is with the brokers
    void release(CompletableFuture<Void> said) throws ClaimLostException, InterruptedException {
        awaitAcknowledged(said);
        claims.settle(AcknowledgeType.RELEASE);
    }

    private void awaitAcknowledged(CompletableFuture<Void> said) throws ClaimLostException, InterruptedException {
        try {
            var _ = await(said, settings.flushTimeout(), settings.grace());
        } catch (TimeoutException e) {
            throw new ClaimLostException(
                    "the brokers have not acknowledged all records within " + settings.flushTimeout(), e);
        } catch (ExecutionException e) {
            throw new ClaimLostException("the brokers have not taken all records: " + e.getCause(), e);
        }
    }

    /// Waits for `work`.
    ///
    /// @param graceShare when the worker stops, how long after that it may still take
    /// @throws TimeoutException if it is not done within `bound`, or within its share of the grace period
    <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound, Duration graceShare)
            throws ClaimLostException, InterruptedException, ExecutionException, TimeoutException {
        long beginNanos = System.nanoTime();
        long renewedNanos = beginNanos;
        while (true) {
            try {
                return work.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (stop.isOlderThan(graceShare) || since(beginNanos).compareTo(bound) > 0) {
                    throw e;
                }
            }
            if (since(renewedNanos).compareTo(claims.renewEvery()) > 0) {
                renewedNanos = System.nanoTime();
                claims.renew();
            }
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
