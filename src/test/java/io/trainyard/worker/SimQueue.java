package io.trainyard.worker;

import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.worker.SimShareGroup.Delivered;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/// The members of a [SimProcess] in the share groups of [SimKafka], used as [ShareClaims] does: one command at
/// a time, from the topic with the highest priority first.
///
/// As with Kafka's client, a member goes on asking in the background after an empty fetch, until it gets a
/// record. That record waits in the member until the next call of [#next].
final class SimQueue implements CommandQueue {
    /// The time limit of one call on an idle worker.
    static final Duration POLL = Duration.ofSeconds(1);

    /// The longest time until the groups admit a member.
    static final Duration JOIN = Duration.ofSeconds(5);

    /// The time limit for the answer to an ACCEPT.
    static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(5);

    /// The time limit for a topic if its broker does not answer.
    private static final Duration ANSWER_TIMEOUT = Duration.ofMillis(500);

    private final class Source {
        final SimShareGroup group;
        final SimTopic topic;
        final Runnable serving = this::serveSoon;
        CompletableFuture<Void> answer = new CompletableFuture<>();
        boolean asking;
        boolean served; // the broker's answer arrives soon

        @Nullable
        ClaimedAttempt prefetched;

        Source(String topic) {
            this.group = kafka.group(topic);
            this.topic = kafka.topic(topic);
            group.atAvailable(serving);
            kafka.atStart(serving);
        }

        void ask() {
            asking = true;
            answer = new CompletableFuture<>();
            serveSoon();
        }

        void serveSoon() {
            if (asking && !served) {
                served = true;
                SimTimer _ = kafka.world().after(kafka.delay(), this::serve);
            }
        }

        /// Runs at the broker. If there is no record, the fetch stays there.
        private void serve() {
            served = false;
            if (closed || !kafka.isUp() || !process.canRead()) {
                return;
            }
            Optional<Delivered> delivered = group.acquire(SimQueue.this);
            ClaimedAttempt next = delivered
                    .map(record -> new ClaimedAttempt(this, record, kafka.starts()))
                    .orElse(null);
            asking = next == null;
            if (next != null && kafka.happens(kafka.weather().lost())) {
                return; // for the broker the member owns it until the lock expires
            }
            CompletableFuture<Void> answered = answer;
            process.after(kafka.delay(), () -> {
                if (next != null) {
                    prefetched = next;
                    arrivals.complete(null);
                }
                answered.complete(null);
            });
        }
    }

    /// @param session of the broker that delivered it
    private record ClaimedAttempt(Source source, Delivered delivered, int session) {}

    private final SimKafka kafka;
    private final SimProcess process;
    private final ClaimPriorities order;
    private final long joinedNanos;
    private final List<List<Source>> sources; // topics with the same priority change their order
    private CompletableFuture<Void> arrivals = new CompletableFuture<>();
    private @Nullable ClaimedAttempt claimed;
    private boolean closed;

    /// @param topics highest priority first; topics of one list have the same priority
    SimQueue(SimKafka kafka, SimProcess process, List<List<String>> topics, ClaimPriorities order) {
        this.order = order;
        this.kafka = kafka;
        this.process = process;
        joinedNanos = kafka.world().nanos() + process.upTo(JOIN).toNanos();
        sources = topics.stream()
                .<List<Source>>map(equals ->
                        new ArrayList<>(equals.stream().map(Source::new).toList()))
                .toList();
        process.atCrash(this::leave);
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        if (closed || claimed != null) {
            throw new IllegalStateException(closed ? "closed" : "the command at hand has not been accepted");
        }
        if (kafka.happens(kafka.weather().refused())) {
            throw new KafkaException("refused, as the seed wills");
        }
        Duration joining = Duration.ofNanos(joinedNanos - process.nanoTime());
        if (joining.isPositive()) {
            process.sleep(joining.compareTo(POLL) < 0 ? joining : POLL);
            return Optional.empty();
        }
        long end = process.nanoTime() + POLL.toNanos();
        while (true) {
            arrivals = new CompletableFuture<>();
            Optional<ConsumerRecord<byte[], byte[]>> found = ask();
            long left = end - process.nanoTime();
            if (found.isPresent() || left <= 0) {
                return found;
            }
            await(arrivals, Duration.ofNanos(left));
        }
    }

    private void await(CompletableFuture<Void> what, Duration bound) {
        try {
            process.await(what, bound);
        } catch (TimeoutException e) {
            return; // the caller checks again
        } catch (InterruptedException e) {
            throw new InterruptException(e); // as Kafka's consumer does
        } catch (ExecutionException e) {
            throw new IllegalStateException("it does not fail", e);
        }
    }

    private Optional<ConsumerRecord<byte[], byte[]>> ask() {
        for (List<Source> equals : order.of(sources)) {
            for (Source source : equals) {
                if (source.prefetched == null && !source.asking) {
                    source.ask();
                    await(source.answer, ANSWER_TIMEOUT);
                }
                ClaimedAttempt next = source.prefetched;
                if (next != null) {
                    source.prefetched = null;
                    claimed = next;
                    equals.remove(source); // a topic that is never empty must not starve others of the same priority
                    equals.add(source);
                    return Optional.of(presented(next));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> prefetched() {
        for (List<Source> equals : sources) {
            for (Source source : equals) {
                ClaimedAttempt next = source.prefetched;
                if (next != null) {
                    source.prefetched = null;
                    claimed = next;
                    return Optional.of(presented(next));
                }
            }
        }
        return Optional.empty();
    }

    private static ConsumerRecord<byte[], byte[]> presented(ClaimedAttempt command) {
        String key = command.delivered().entry().key();
        return command.source()
                .topic
                .read(
                        command.delivered().entry(),
                        key == null ? new byte[0] : key.getBytes(StandardCharsets.UTF_8),
                        Optional.of((short) command.delivered().deliveries()));
    }

    @Override
    public boolean accept() {
        ClaimedAttempt now = claimed;
        if (now == null) {
            throw new IllegalStateException("no command is held");
        }
        claimed = null;
        boolean accepted = accept(now);
        kafka.answered(process.name(), CommandRecord.place(presented(now)), accepted);
        return accepted;
    }

    private boolean accept(ClaimedAttempt now) {
        process.sleep(kafka.delay());
        if (kafka.happens(kafka.weather().lost()) || !process.canRead()) {
            return lose(now);
        }
        if (!kafka.isUp()) {
            process.sleep(process.upTo(ACCEPT_TIMEOUT)); // the time until it notices
            return false;
        }
        boolean accepted = arrive(now);
        process.sleep(kafka.delay());
        return accepted;
    }

    /// The request is lost or late, or its answer is lost.
    private boolean lose(ClaimedAttempt command) {
        switch (kafka.any(3)) {
            case 0 -> arrive(command);
            case 1 -> {
                SimTimer _ = kafka.world().after(process.upTo(ACCEPT_TIMEOUT.multipliedBy(4)), () -> arrive(command));
            }
            default -> kafka.world().note("accept lost", command.source().topic.name(), 0);
        }
        process.sleep(ACCEPT_TIMEOUT);
        return false;
    }

    /// A broker that has restarted does not know the member's session.
    private boolean arrive(ClaimedAttempt command) {
        return kafka.isUp()
                && !closed
                && command.session() == kafka.starts()
                && command.source()
                        .group
                        .accept(this, command.delivered().entry().offset());
    }

    @Override
    public boolean renew() {
        ClaimedAttempt now = claimed;
        if (now == null) {
            throw new IllegalStateException("no command is held");
        }
        process.sleep(kafka.delay());
        if (kafka.happens(kafka.weather().lost()) || !process.canRead()) {
            process.sleep(ACCEPT_TIMEOUT);
            return false;
        }
        boolean renewed = kafka.isUp()
                && !closed
                && now.session() == kafka.starts()
                && now.source().group.renew(this, now.delivered().entry().offset());
        process.sleep(kafka.delay());
        return renewed;
    }

    @Override
    public int deliveries() {
        return claimed == null ? 0 : claimed.delivered().deliveries();
    }

    /// The connections close, and the brokers release the member's records at once.
    private void leave() {
        if (closed) {
            return;
        }
        closed = true;
        for (List<Source> equals : sources) {
            for (Source source : equals) {
                source.group.forget(source.serving);
                kafka.forget(source.serving);
                source.group.leave(this);
            }
        }
    }

    @Override
    public void close() {
        leave();
    }
}
