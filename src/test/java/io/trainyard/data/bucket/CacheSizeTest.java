package io.trainyard.data.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CacheSizeTest {
    @ParameterizedTest
    @CsvSource({"1M, 1000000", "100G, 100000000000", "2T, 2000000000000"})
    void parsesDecimalUnits(String text, long bytes) {
        assertThat(CacheSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100", "0G", "1.5G", "1GB", "-1G", "1g"})
    void rejectsInvalidSizes(String text) {
        assertThatThrownBy(() -> CacheSize.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("TRAINYARD_DATA_CACHE_LIMIT is \"%s\"; allowed is 1M to 999999T, in units of 1000", text);
    }

    @Test
    void hasADefault() {
        assertThat(CacheSize.ofEnvironment()).isEqualTo(new CacheSize(100_000_000_000L));
    }
}
