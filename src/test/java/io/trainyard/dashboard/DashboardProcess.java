package io.trainyard.dashboard;

import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The packaged dashboard on the test broker.
final class DashboardProcess {
    private DashboardProcess() {}

    /// @param folder its working directory
    /// @param prefix of the topics
    /// @param port 0: any free port
    /// @param environment variables as `NAME=value`
    /// @param more options
    static TrainyardProcess start(Path folder, String prefix, int port, List<String> environment, String... more) {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
        command.addAll(environment);
        command.addAll(List.of(
                TrainyardProcess.LAUNCHER.toString(),
                "dashboard",
                "--prefix",
                prefix,
                "--kafka",
                TestBroker.address(),
                "--port",
                Integer.toString(port)));
        command.addAll(List.of(more));
        return TrainyardProcess.start(folder, command);
    }
}
