package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CampaignTest {
    /// If JUnit 4 is on the class path, Surefire and Failsafe treat tags as its categories. Then nothing is
    /// excluded, and the suite takes hours.
    @Test
    void tagsKeepCampaignsOut() {
        assertThat(getClass().getClassLoader().getResource("org/junit/Assert.class"))
                .as("JUnit 4; exclude junit:junit from what brings it (mvn dependency:tree)")
                .isNull();
    }
}
