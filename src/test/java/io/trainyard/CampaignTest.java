package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CampaignTest {
    /// Where JUnit 4 is on the path, Surefire and Failsafe take tags for its categories: nothing is left out, and the
    /// suite takes hours.
    @Test
    void tagsKeepCampaignsOut() {
        assertThat(getClass().getClassLoader().getResource("org/junit/Assert.class"))
                .as("JUnit 4; exclude junit:junit from what brings it (mvn dependency:tree)")
                .isNull();
    }
}
