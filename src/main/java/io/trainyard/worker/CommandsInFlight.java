package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// The commands of one sweep that the brokers have not acknowledged, limited in number and bytes. Not
/// thread-safe.
final class CommandsInFlight {
    static final int MAX_COMMANDS = 100;

    /// One more command of at most 1 MiB may be in flight.
    static final long MAX_BYTES = 4L << 20;

    private final Host host;
    private final Duration look;
    private final Runnable alive;
    private final Deque<Sent> inFlight = new ArrayDeque<>(); // the oldest first
    private long bytes;

    private record Sent(int bytes, CompletableFuture<Void> done) {}

    /// @param look the interval between two checks of the acknowledgements
    /// @param alive is called at each check and for each command
    CommandsInFlight(Host host, Duration look, Runnable alive) {
        this.host = host;
        this.look = look;
        this.alive = alive;
    }

    /// Publishes a command as soon as the limits allow it.
    ///
    /// @throws EventsLostException if the brokers refuse an earlier command, or the thread is interrupted
    void add(int size, Supplier<CompletableFuture<Void>> publish) {
        while (inFlight.size() >= MAX_COMMANDS || bytes >= MAX_BYTES) {
            awaitOldest();
        }
        alive.run();
        inFlight.add(new Sent(size, publish.get()));
        bytes += size;
    }

    /// Waits until the brokers have acknowledged all commands.
    ///
    /// @throws EventsLostException see [#add]
    void awaitAll() {
        while (!inFlight.isEmpty()) {
            awaitOldest();
        }
    }

    /// Waits as long as the brokers are away; an interrupt ends the wait.
    private void awaitOldest() {
        Sent oldest = inFlight.remove();
        bytes -= oldest.bytes();
        while (true) {
            alive.run();
            try {
                var _ = host.await(oldest.done(), look);
                return;
            } catch (TimeoutException _) { // the brokers are away
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EventsLostException("the worker stopped waiting for the brokers", e);
            } catch (ExecutionException e) {
                throw new EventsLostException("the brokers refuse a command: " + e.getCause(), e);
            }
        }
    }
}
