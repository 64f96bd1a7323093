package io.trainyard.cli;

import io.quarkus.arc.Unremovable;
import io.smallrye.reactive.messaging.ClientCustomizer;
import io.trainyard.topics.Brokers;
import io.trainyard.worker.WorkerSettings;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.microprofile.config.Config;

/// The brokers of a process that serves, for its services and for its channels. The channels are told here and not by
/// properties of theirs: a password of digits would become a number on that way.
@Singleton
@Unremovable
class FleetBrokers implements ClientCustomizer<Map<String, Object>> {
    private final Brokers brokers;

    @Inject
    FleetBrokers(WorkerSettings settings) {
        brokers = Brokers.at(settings.kafka(), settings.kafkaConfig());
    }

    @Produces
    @Singleton
    Brokers brokers() {
        return brokers;
    }

    @Override
    public Map<String, Object> customize(String channel, Config settings, Map<String, Object> client) {
        Map<String, Object> all = new HashMap<>(client);
        all.putAll(brokers.connection());
        return all;
    }
}
