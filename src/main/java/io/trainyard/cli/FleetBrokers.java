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

/// The brokers for the services and channels of a process with Quarkus. The channels get them here instead of
/// from properties, which would convert a password of digits to a number.
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
