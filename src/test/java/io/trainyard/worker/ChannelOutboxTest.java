package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.reactive.messaging.kafka.impl.JsonHelper;
import io.smallrye.reactive.messaging.providers.impl.Configs;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

class ChannelOutboxTest {
    @Test
    void timestampsWithinAMillisecondDiffer() {
        assertThat(ChannelOutbox.following(1000, 1000)).isEqualTo(1001);
        assertThat(ChannelOutbox.following(1500, 1000)).isEqualTo(1501);
        assertThat(ChannelOutbox.following(1000, 2000)).isEqualTo(2000);
    }

    @Test
    void timestampsFollowACorrectedClock() {
        long right = 10_000_000;
        assertThat(ChannelOutbox.following(right + 7_200_000, right)).isEqualTo(right);
    }

    @Test
    void smallRyePassesAllSettingsToTheProducer() {
        Map<String, Object> settings = ChannelOutbox.producerSettings();
        Map<String, Object> passed = JsonHelper.asJsonObject(Configs.fallback(ConfigProvider.getConfig(), settings))
                .getMap();
        passed.keySet().retainAll(settings.keySet());
        assertThat(passed).isEqualTo(settings);
    }
}
