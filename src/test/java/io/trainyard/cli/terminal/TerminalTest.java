package io.trainyard.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {
    @ParameterizedTest
    @CsvSource({"0,0:00", "999999,0:01", "61000000,1:01", "3600000000,1:00:00", "360000000000,100:00:00"})
    void writesTimeAsClocksDo(long micros, String clock) {
        assertThat(Terminal.clock(micros)).isEqualTo(clock);
    }
}
