package io.trainyard.cli.terminal;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import java.io.PrintStream;
import java.time.Instant;

/// Progress as the events themselves, one a line, as they are on the topics: for programs.
final class ProgressJson implements ProgressView {
    private final PrintStream out;

    ProgressJson(PrintStream out) {
        this.out = out;
    }

    @Override
    public void waiting(String job) {}

    @Override
    public void rejected(JobState job) {}

    @Override
    public void show(EventRecord jobRecord, JobState after) {
        out.writeBytes(EventJson.write(jobRecord.event(), Instant.ofEpochMilli(jobRecord.millis())));
        out.write('\n');
        out.flush();
    }

    @Override
    public void close() {
        out.flush();
    }
}
