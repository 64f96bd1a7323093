package io.trainyard.faults;

import io.trainyard.PackagedFleet;
import java.nio.file.Path;
import java.util.Locale;

/// The brokers of a fleet; `-Dfaults.kafka=secure` selects those of a campaign.
enum FaultKafka {
    /// The application's own broker, in a process that may also be killed.
    PACKAGED {
        @Override
        PackagedFleet start(Path folder) {
            return PackagedFleet.withBroker(folder);
        }
    },

    /// A broker with TLS, SCRAM and the ACLs of each role; it is never killed.
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
