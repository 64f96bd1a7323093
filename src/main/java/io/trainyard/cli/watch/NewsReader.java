package io.trainyard.cli.watch;

import io.trainyard.event.JobNews;
import io.trainyard.spec.Printable;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/// Reads records as news of jobs, and says a sentence about each that cannot be read, up to a bound.
public final class NewsReader {
    private static final int MAX_WARNINGS = 20;

    private final Consumer<String> warn;
    private int warnings;

    /// @param warn called with the sentences
    public NewsReader(Consumer<String> warn) {
        this.warn = warn;
    }

    /// The record's news; empty where it has none or cannot be read.
    public Optional<JobNews> read(TopicRecord entry) {
        try {
            return entry.news();
        } catch (IOException e) {
            unreadable(entry, e);
            return Optional.empty();
        }
    }

    private void unreadable(TopicRecord entry, IOException e) {
        if (warnings < MAX_WARNINGS) {
            String why = e.getMessage() == null
                    ? e.toString()
                    : e.getMessage().lines().findFirst().orElse("");
            warn.accept("skipped the record in %s: it is not an event: %s"
                    .formatted(entry.place(), Printable.text(why, 200)));
        } else if (warnings == MAX_WARNINGS) {
            warn.accept("more records that are no events are skipped without a word");
        }
        warnings++;
    }
}
