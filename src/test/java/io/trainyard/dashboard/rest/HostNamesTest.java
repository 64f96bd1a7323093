package io.trainyard.dashboard.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
    private static final HostNames NAMES = new HostNames(List.of("Trainyard.Example.org", "0.0.0.0", "::"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost:8080",
                "localhost.",
                "localhost.:8080",
                "127.0.0.1",
                "127.1.2.3:8080",
                "[::1]",
                "[::1]:8080",
                "[0:0:0:0:0:0:0:1]:8080",
                "trainyard.example.org",
                "TRAINYARD.example.org.:443"
            })
    void acceptsHostsOfThisServer(String host) {
        assertThat(NAMES.contain(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":8080",
                "evil.example",
                "evil.example:8080",
                "localhost.evil.example",
                "localhost@evil.example",
                "localhost:8080@evil.example",
                "localhost:8080:8080",
                "localhost, evil.example",
                "127.0.0.1.evil.example",
                "10.0.0.1",
                "0.0.0.0:8080",
                "[::]",
                "[::1",
                "::1",
                "[fe80::1]",
                "x.trainyard.example.org"
            })
    void refusesHostsOfOtherServers(String host) {
        assertThat(NAMES.contain(host)).isFalse();
    }
}
