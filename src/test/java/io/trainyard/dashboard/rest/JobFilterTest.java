package io.trainyard.dashboard.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.spec.JobField;
import jakarta.ws.rs.WebApplicationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobFilterTest {
    @ParameterizedTest
    @CsvSource({
        "optimizer.learningRate > 0.0001, true",
        "optimizer.learningRate>5e-4, false",
        "optimizer.learningRate >= 0.0005 and optimizer.type = ADAM, true",
        "optimizer.learningRate >= 0.0005 AND optimizer.type = sgd, false",
        "network ~ ash, true",
        "network != fashion, false",
        "absent != 3, true",
        "absent < 3, false",
        "batchSize = 9, false",
        "batchSize < 10, true",
        "network < 10, false",
        "'', true"
    })
    void allConditionsMustHold(String where, boolean accepted) throws Exception {
        var values = JobField.values(JsonMapper.builder().build().readTree("""
                {"network": "fashion", "batchSize": 8, "optimizer": {"type": "adam", "learningRate": 5.0E-4}}"""));
        assertThat(JobFilter.of(where).accepts(values::get)).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({
        "batchSize, 'where has the condition \"batchSize\"; allowed is a field'",
        "batchSize > many, 'where compares batchSize with \"many\"; after >, allowed is a number'",
        "a = 1 and , 'where has the condition \"\"; allowed is a field'"
    })
    void mistakesAreExplained(String where, String sentence) {
        var refusal = catchThrowableOfType(WebApplicationException.class, () -> JobFilter.of(where));
        assertThat(String.valueOf(refusal.getResponse().getEntity())).contains(sentence);
    }
}
