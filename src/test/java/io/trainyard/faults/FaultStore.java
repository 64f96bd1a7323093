package io.trainyard.faults;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.S3Stores;
import io.trainyard.s3.S3Server;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// The checkpoint store of a fleet, and this process's view of it.
///
/// @param uri the workers' setting
/// @param environment of every worker, as `NAME=value`
/// @param store this process's view, without the proxy that workers may use
record FaultStore(URI uri, List<String> environment, CheckpointStore store) {
    /// The kind of store; `-Dfaults.store=s3mock` selects that of a campaign.
    enum Kind {
        DIRECTORY,
        S3PROXY,
        S3MOCK;

        static Kind chosen() {
            return valueOf(System.getProperty("faults.store", DIRECTORY.name()).toUpperCase(Locale.ROOT));
        }

        /// @param folder for a store in a folder
        FaultStore open(Path folder) {
            return switch (this) {
                case DIRECTORY -> ofFolder(folder);
                case S3PROXY -> ofBucket(S3Server.S3PROXY, S3Server.S3PROXY.endpoint());
                case S3MOCK -> ofBucket(S3Server.S3MOCK, S3Server.S3MOCK.endpoint());
            };
        }
    }

    private static FaultStore ofFolder(Path folder) {
        URI uri = folder.resolve("checkpoints").toAbsolutePath().toUri();
        return new FaultStore(uri, List.of(), CheckpointStore.open(uri));
    }

    private static FaultStore ofBucket(S3Server server, URI endpoint) {
        URI uri = server.newBucket();
        List<String> environment = S3Server.environment(endpoint).entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .toList();
        return new FaultStore(uri, environment, S3Stores.open(uri, server.settings()));
    }
}
