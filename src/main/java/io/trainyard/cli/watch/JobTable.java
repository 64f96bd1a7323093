package io.trainyard.cli.watch;

import static io.trainyard.cli.watch.TableColumns.NOTHING;
import static io.trainyard.cli.watch.TableColumns.of;
import static java.util.Locale.ROOT;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.cli.watch.TableColumns.Column;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.StartForecast;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Jobs as a table for people: columns as wide as they must be, up to a bound each.
public final class JobTable {
    private JobTable() {}

    static final Column<StartForecast> PLACE = new Column<>(
            "PLACE", 6, true, forecast -> forecast.place() == 0 ? NOTHING : Integer.toString(forecast.place()));
    static final Column<StartForecast> BEGINS =
            new Column<>("BEGINS IN (90 %)", 28, false, forecast -> of(forecast.start(), ForecastText::brief));
    static final Column<StartForecast> BECAUSE = new Column<>("WAITS BECAUSE", 60, false, StartForecast::sentence);

    private static final int WITH_PART = 32;

    private static final List<Column<JobState>> COLUMNS = List.of(
            new Column<>("JOB", 40, false, JobState::job),
            new Column<>("STATE", 10, false, state -> state.status().name()),
            new Column<>(
                    "NETWORK",
                    16,
                    false,
                    state -> of(state.spec(), spec -> spec.network().label())),
            new Column<>(
                    "DATA SET",
                    16,
                    false,
                    state -> of(state.spec(), spec -> spec.dataset().name())),
            new Column<>("DEVICE", 12, false, state -> of(state.device(), device -> device)),
            new Column<>("WORKER", 24, false, state -> of(state.worker(), worker -> worker)),
            new Column<>("STEP", 24, true, JobTable::step),
            new Column<>("LOSS", 12, true, state -> of(state.loss(), loss -> String.format(ROOT, "%.4f", loss))),
            new Column<>("TEST LOSS", WITH_PART, true, state -> measured(state, state.testLoss(), Epoch::testLoss)),
            new Column<>(
                    "ACCURACY", WITH_PART, true, state -> measured(state, state.testAccuracy(), Epoch::testAccuracy)),
            new Column<>("START", 20, false, state -> of(state.start(), start -> start.substring(0, 19) + "Z")),
            new Column<>("DURATION", 12, true, JobTable::duration),
            new Column<>("REASON", 60, false, state -> of(state.reason(), reason -> reason)));

    /// Additional columns of waiting jobs.
    private static List<Column<JobState>> columns(Forecast forecast) {
        if (forecast.forecasts().isEmpty()) {
            return COLUMNS;
        }
        List<Column<JobState>> columns = new ArrayList<>(COLUMNS);
        columns.addAll(
                2,
                Stream.of(PLACE, BEGINS, BECAUSE)
                        .map(column -> column.of((JobState state) -> forecast.of(state.job())))
                        .toList());
        return columns;
    }

    /// The lines of the table, the titles first.
    ///
    /// @param forecast of those that wait
    public static List<String> rows(Collection<JobState> states, Forecast forecast) {
        return TableColumns.rows(columns(forecast), states);
    }

    /// The value of the last test after an epoch; with a validation part, also that of the test part.
    private static String measured(JobState state, @Nullable Double last, Function<Epoch, @Nullable Double> value) {
        List<Epoch> epochs = state.epochs();
        Part part = epochs.isEmpty() ? null : epochs.getLast().part();
        Epoch test = state.test();
        Double tested = test == null ? null : value.apply(test);
        return of(last, number -> String.format(ROOT, part == null ? "%.4f" : "validation %.4f", number))
                + (tested == null ? "" : String.format(ROOT, ", test %.4f", tested));
    }

    private static String step(JobState state) {
        return state.steps() == 0 && state.step() == 0
                ? NOTHING
                : state.step() + "/" + (state.steps() == 0 ? "?" : state.steps());
    }

    private static String duration(JobState state) {
        return state.durationMillis() == 0 ? NOTHING : Terminal.clock(1000 * state.durationMillis());
    }
}
