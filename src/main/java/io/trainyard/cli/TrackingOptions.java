package io.trainyard.cli;

import io.trainyard.tracking.TrackingStore;
import picocli.CommandLine.Option;

/// The option with the tracking store, for commands that read the dashboard's store instead of Kafka.
final class TrackingOptions {
    /// The system property has a value from a file; see [SecretFiles].
    static final String DEFAULT =
            "${sys:trainyard.dashboard.tracking:-${env:TRAINYARD_DASHBOARD_TRACKING:-jdbc:sqlite:tracking.db}}";

    static final String HELP =
            "jdbc:sqlite:FILE or jdbc:postgresql://HOST/DB (default: TRAINYARD_DASHBOARD_TRACKING, or jdbc:sqlite:tracking.db).";

    @Option(names = "--tracking", paramLabel = "URL", defaultValue = DEFAULT, description = TrackingOptions.HELP)
    private String url = "";

    /// Opens the store, and creates it if it does not exist.
    ///
    /// @throws io.trainyard.tracking.TrackingException if it cannot be opened
    TrackingStore open() {
        return TrackingStore.open(url);
    }

    /// Opens an existing store.
    ///
    /// @throws io.trainyard.tracking.TrackingException if it does not exist
    TrackingStore openExisting() {
        return TrackingStore.openExisting(url);
    }
}
