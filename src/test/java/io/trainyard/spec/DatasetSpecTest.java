package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A job's settings for an image folder.
class DatasetSpecTest {
    private static JobSpec read(String fields) {
        return JobJson.read("""
                {"id": "a", "network": "lenet", "epochs": 1, "dataset": {"name": "photos", %s}}""".formatted(fields).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aSizeIsOneNumberOrTwo() {
        JobSpec job = read(
                "\"colors\": \"grey\", \"resize\": 40, \"centerCrop\": [32, 24], \"split\": {\"test\": 0.2, \"seed\": -1}");
        assertThat(job.dataset())
                .isEqualTo(new DatasetSpec(
                        "photos", Colors.GREY, List.of(40), List.of(32, 24), new SplitSpec(0.2, -1), null, null));
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    @Test
    void jobsWithAnotherNormalizationReadTheSameData() {
        JobSpec plain = read("\"resize\": 40");
        JobSpec normalized = read("\"resize\": 40, \"normalize\": {\"mean\": [0.5], \"std\": [0.5]}");
        assertThat(normalized.dataset().asRead()).isEqualTo(plain.dataset().asRead());
        assertThat(read("\"resize\": 41").dataset().asRead())
                .isNotEqualTo(plain.dataset().asRead());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "resize": [0, 3]             | dataset.resize is [0, 3]; allowed is the smaller side, such as 32, or [height, width], each 1 to 4096
            "resize": []                 | dataset.resize is []; allowed is the smaller side
            "resize": 4097               | dataset.resize is [4097]; allowed is
            "resize": "big"              | dataset.resize is "big"; it must be a whole number
            "resize": [32, "big"]        | dataset.resize[1] is "big"; it must be a whole number
            "centerCrop": [1, 2, 3]      | dataset.centerCrop is [1, 2, 3]; allowed is the side of a square, such as 32, or [height, width]
            "colors": "blue"             | dataset.colors is "blue"; it must be "rgb" or "grey"
            "split": 0.2                 | dataset.split is 0.2; it must be an object such as {"validation": 0.1, "seed": 0}
            "split": {"seed": 1}         | dataset.split is empty; give it test or validation, a share such as 0.2, or leave it out
            "split": {"test": 1}         | dataset.split.test is 1.0; allowed is a share above 0.0 and below 1.0, such as 0.2
            """)
    void reportsErrorsInASentence(String fields, String sentence) {
        assertThatThrownBy(() -> read(fields))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(sentence);
    }
}
