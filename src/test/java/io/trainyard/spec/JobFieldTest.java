package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobFieldTest {
    /// Jackson writes 0.0005 as `5.0E-4`.
    @ParameterizedTest
    @CsvSource({"5.0E-4,0.0005", "0.10,0.1", "0.0,0", "3.0,3", "1.0E-15,1E-15", "12,12", "\"1.0\",1.0", "true,true"})
    void numbersAreWrittenForPeople(String json, String text) {
        assertThat(new JobField("optimizer.learningRate").of("{\"optimizer\": {\"learningRate\": %s}}".formatted(json)))
                .hasValue(text);
    }
}
