package io.trainyard.faults;

import io.trainyard.PackagedFleet;
import java.nio.file.Path;
import java.util.Locale;

/// Which brokers a fleet has; `-Dfaults.kafka=secure` names those of a campaign.
enum FaultKafka {
    /// The application's own, a process that can be struck, too.
    PACKAGED {
        @Override
        PackagedFleet start(Path folder) {
            return PackagedFleet.withBroker(folder);
        }
    },

    /// One that asks for TLS and SCRAM, and has the ACLs of each role; nothing happens to it.
    SECURE {
        @Override
        PackagedFleet start(Path folder) {
            try {
                return PackagedFleet.secured(folder);
            } catch (Exception e) {
                throw new IllegalStateException("no broker that asks who one is", e);
            }
        }
    };

    static FaultKafka chosen() {
        return valueOf(System.getProperty("faults.kafka", PACKAGED.name()).toUpperCase(Locale.ROOT));
    }

    abstract PackagedFleet start(Path folder);
}
