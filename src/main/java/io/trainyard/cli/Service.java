package io.trainyard.cli;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import java.util.Map;

/// Runs Quarkus for the commands that serve until they are stopped.
public final class Service implements QuarkusApplication {
    private static Runnable ready = () -> {};

    /// @param settings configuration of this run; they win over the environment
    /// @param whenReady called once when everything listens
    /// @return the exit status
    static int run(Map<String, String> settings, Runnable whenReady) {
        settings.forEach(System::setProperty);
        ready = whenReady;
        int[] status = {0};
        Quarkus.run(Service.class, (code, failure) -> status[0] = failure == null ? code : 1);
        return status[0];
    }

    @Override
    public int run(String... args) {
        ready.run();
        Quarkus.waitForExit();
        return 0;
    }
}
