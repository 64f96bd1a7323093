package io.trainyard.cli;

import io.trainyard.tracking.TrackingStore;
import picocli.CommandLine.Option;

/// Where the tracking store is: the option of commands that need no Kafka, but the dashboard's store.
final class TrackingOptions {
    /// The first is from a file: see [SecretFiles].
    static final String DEFAULT =
            "${sys:trainyard.dashboard.tracking:-${env:TRAINYARD_DASHBOARD_TRACKING:-jdbc:sqlite:tracking.db}}";

    @Option(
            names = "--tracking",
            paramLabel = "URL",
            defaultValue = DEFAULT,
            description = {
                "The dashboard's tracking store: jdbc:sqlite:FILE, or",
                "jdbc:postgresql://HOST/DATABASE?user=NAME&password=WORD",
                "(default: TRAINYARD_DASHBOARD_TRACKING, or jdbc:sqlite:tracking.db)."
            })
    private String url = "";

    /// Opens the store, and makes it where there is none.
    ///
    /// @throws io.trainyard.tracking.TrackingException if it cannot be opened
    TrackingStore open() {
        return TrackingStore.open(url);
    }

    /// Opens the store, which must be there.
    ///
    /// @throws io.trainyard.tracking.TrackingException if it is not
    TrackingStore openExisting() {
        return TrackingStore.openExisting(url);
    }
}
