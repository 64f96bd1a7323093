package io.trainyard.export;

import io.trainyard.event.JobState;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Exports jobs of a tracking store, one after the other. Running jobs are exported up to their newest stored
/// event; the store may be written to at the same time.
public final class JobExport {
    private static final int PAGE = 1000;

    private final TrackingStore store;

    public JobExport(TrackingStore store) {
        this.store = store;
    }

    public record Progress(String job, long jobs, long losses) {}

    /// The jobs that a query asks for and a condition holds for, in the order of the query; its limit and
    /// offset do not count.
    public List<String> find(JobQuery query, Predicate<JobState> condition) {
        List<String> found = new ArrayList<>();
        for (int offset = 0; ; offset += PAGE) {
            JobPage page = store.jobs(new JobQuery(
                    query.statuses(), query.text(), query.tag(), query.sort(), query.descending(), PAGE, offset));
            page.jobs().stream()
                    .map(JobSummary::job)
                    .filter(job -> store.job(job).filter(condition).isPresent())
                    .forEach(found::add);
            if (page.jobs().size() < PAGE) {
                return found;
            }
        }
    }

    /// Exports jobs to a folder, which is created if it does not exist.
    ///
    /// @param replace whether existing files are replaced
    /// @param exported called after each job
    /// @return the totals
    /// @throws ExportException if the folder is not empty and `replace` is false, or if it cannot be written to
    public Progress export(
            Collection<String> jobs, ExportFormat format, Path folder, boolean replace, Consumer<Progress> exported) {
        Progress all = new Progress("", 0, 0);
        try {
            prepare(folder, replace);
            try (JobExporter exporter = format.open(folder)) {
                for (String job : jobs) {
                    Optional<JobState> state = store.job(job);
                    if (state.isPresent()) { // else it was forgotten meanwhile
                        exporter.begin(ExportedJob.of(state.get(), store));
                        long[] losses = {all.losses()};
                        store.eachLoss(job, span -> {
                            exporter.losses(span);
                            losses[0] += span.losses().length;
                        });
                        store.eachMetric(job, exporter::metric);
                        exporter.end();
                        all = new Progress(job, all.jobs() + 1, losses[0]);
                        exported.accept(all);
                    }
                }
                exporter.finish();
            }
        } catch (IOException e) {
            throw new ExportException("the export to %s broke off after %d jobs".formatted(folder, all.jobs()), e);
        }
        return all;
    }

    private static void prepare(Path folder, boolean replace) throws IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new ExportException("%s is a file; name a folder".formatted(folder));
        }
        Files.createDirectories(folder);
        if (!replace) {
            try (DirectoryStream<Path> there = Files.newDirectoryStream(folder)) {
                if (there.iterator().hasNext()) {
                    throw new ExportException(
                            "%s is not empty; name another folder, or let files of the same names be replaced with --force"
                                    .formatted(folder));
                }
            }
        }
    }
}
