package io.trainyard.cli.watch;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.StartForecast;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobTableTest {
    @Test
    void columnsAreAlignedAndBounded() {
        JobState ran = new JobState("a");
        List<TrainingEvent> events = whole("a");
        for (int i = 0; i < events.size(); i++) {
            ran.apply(new EventRecord(events.get(i), TIME.toEpochMilli() + 1000 * i));
        }
        JobState waits = new JobState("a-longer-name");
        waits.apply(new Requested("a-longer-name", spec("a-longer-name"), "here", 1));
        JobState refused = new JobState("x".repeat(99));
        refused.apply(new Rejected("x".repeat(99), null, "bad\u001b[31m", 1));
        List<String> rows = JobTable.rows(List.of(ran, waits, refused), Forecast.NONE);
        assertThat(rows.get(0))
                .matches(
                        "JOB +STATE +NETWORK +DATA SET +DEVICE +WORKER +STEP +LOSS +TEST LOSS +ACCURACY +START +DURATION +REASON");
        assertThat(rows.get(1))
                .matches(
                        "a +FINISHED +lenet +shapes32 +cpu +w1 +20/20 +1\\.0000 +0\\.8000 +0\\.7500 +2026-11-22T03:04:05Z +0:05 +-");
        assertThat(rows.get(2)).matches("a-longer-name +QUEUED +lenet +shapes32 +- +- +- +- +- +- +- +- +-");
        assertThat(rows.get(3)).matches("x{39}… +REJECTED .*bad\\?\\[31m");
        int states = rows.get(0).indexOf("STATE");
        assertThat(rows).extracting(row -> row.charAt(states - 1)).containsOnly(' ');
        assertThat(rows).extracting(row -> row.charAt(states)).containsExactly('S', 'F', 'Q', 'R');
    }

    @Test
    void showsPlaceReasonAndStartOfWaitingJobs() {
        JobState waits = new JobState("a");
        waits.apply(new Requested("a", spec("a"), "here", 1));
        StartForecast forecast = new StartForecast(
                "a", 3, "allBusy", "all are busy", new StartForecast.Start(61_001, 200_001, 3 * 3600_001, 1));
        List<String> rows = JobTable.rows(List.of(waits), new Forecast(Map.of("a", forecast)));
        assertThat(rows.get(0)).matches("JOB +STATE +PLACE +BEGINS IN \\(90 %\\) +WAITS BECAUSE +NETWORK .*");
        assertThat(rows.get(1)).matches("a +QUEUED +3 +3 min \\(61 s to 3.0 h\\) +all are busy +lenet .*");
    }
}
