package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.SeededProperty;
import io.trainyard.event.Histories;
import io.trainyard.event.JobNews.Happened;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;

/// What the dashboard shows of any honest history comes out the same, however it is read.
class JobHistoryProperties {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @SeededProperty
    void isTheSameInAnyOrderOfReadingAndAfterCompaction(@ForAll long seed) throws JsonProcessingException {
        List<List<Happened>> topics = Histories.of(seed);
        Random random = new Random(seed);
        for (int buckets : List.of(4, 100)) {
            String live = shown(Histories.read(topics, random), buckets);
            for (int reader = 0; reader < 3; reader++) {
                assertThat(shown(Histories.read(topics, random), buckets)).isEqualTo(live);
                assertThat(shown(Histories.read(Histories.compacted(topics), random), buckets))
                        .as("after compaction")
                        .isEqualTo(live);
            }
        }
    }

    private static String shown(List<Happened> news, int buckets) throws JsonProcessingException {
        JobHistory history = new JobHistory(new JobHistory.Limits(3, buckets, 2, 10_000, 60_000));
        news.forEach(history::apply);
        return MAPPER.writeValueAsString(history.job(Histories.JOB).orElseThrow())
                + MAPPER.writeValueAsString(
                        history.losses(Histories.JOB, 1, 99, 99).orElseThrow());
    }
}
