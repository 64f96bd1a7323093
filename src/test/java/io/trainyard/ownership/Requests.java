package io.trainyard.ownership;

import io.trainyard.event.SampleEvents;
import io.trainyard.topics.Priority;
import java.util.List;

public final class Requests {
    private Requests() {}

    public static CommandContent of(String job, int attempt) {
        return new CommandContent(SampleEvents.spec(job), attempt, Priority.NORMAL, List.of(), null, null, 0);
    }
}
