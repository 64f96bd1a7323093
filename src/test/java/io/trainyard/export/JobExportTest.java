package io.trainyard.export;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.hardwood.InputFile;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.RowReader;
import io.trainyard.event.ClassMetrics;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.MetricValues;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.tracking.Annotations;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.framework.Summary;
import org.tensorflow.util.Event;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// Each format is read back by third-party code: TensorFlow's messages, a Parquet reader and a YAML reader.
class JobExportTest {
    private static final long START = TIME.toEpochMilli();
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// Contains all characters that CSV quotes.
    private static final String NOTE = "he said \"why, not\"\nand left";

    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final List<JobRecord> all = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        store.close();
    }

    /// `a` was released once and has republished some steps; `b` waits; anyone can write `../c` to a topic.
    @BeforeEach
    void fill() {
        publish(0, new Requested("a", SampleEvents.spec("a"), "here", START));
        publish(0, claimed("a"), started("a", 1, 1));
        publish(1000, losses("a", 1, 0, 1, 10));
        publish(1100, tested("a", 1, 0, 10, 0.5));
        publish(1400, losses("a", 1, 1, 11, 4), released("a", 1, 12, "the worker stops"));
        publish(5000, claimed("a", 2), started("a", 2, 13));
        publish(5800, losses("a", 2, 1, 13, 8));
        publish(6000, tested("a", 2, 1, 20, 0.75), finished("a", 2, 20));
        publish(7000, new Requested("b", SampleEvents.spec("b"), "there", START + 7000));
        publish(8000, claimed("../c"), losses("../c", 1, 0, 1, new float[] {1, Float.NaN}));
        MetricValues metrics = new MetricValues(
                "a", 20L, Instant.ofEpochMilli(START + 6500), Map.of("test_loss", 0.1, "test_loss/x", 2.0));
        store.take(all, List.of(metrics), Map.of(new Partition("all", 0), 1L));
        assertThat(store.remark("a", new Annotations(List.of("base", "old"), NOTE)))
                .isTrue();
    }

    private void publish(long afterMillis, TrainingEvent... events) {
        for (TrainingEvent event : events) {
            all.add(new EventRecord(event, START + afterMillis));
        }
    }

    private void publish(long afterMillis, Requested command) {
        all.add(command);
    }

    private JobExport.Progress export(ExportFormat format) {
        JobExport export = new JobExport(store);
        List<String> found =
                export.find(new JobQuery(Set.of(), "", "", JobQuery.Sort.SUBMITTED, false, 1, 0), _ -> true);
        assertThat(found).containsExactly("a", "b", "../c");
        return export.export(found, format, folder.resolve("out"), false, _ -> {});
    }

    /// The published loss of a step: [SampleEvents#losses].
    private static float lossOf(long step) {
        return 3 - 0.1f * step;
    }

    @Test
    void tensorBoardReadsEventFilesWithTheTutorialsScalars() throws IOException {
        assertThat(export(ExportFormat.TENSORBOARD).losses()).isEqualTo(22);
        List<Event> events = eventsOf(folder.resolve("out/a"));
        assertThat(events.getFirst().getFileVersion()).isEqualTo("brain.Event:2");
        Summary.Value text = events.get(1).getSummary().getValue(0);
        assertThat(text.getTag()).isEqualTo("job/text_summary");
        assertThat(text.getMetadata().getPluginData().getPluginName()).isEqualTo("text");
        assertThat(MAPPER.readTree(
                                text.getTensor().getStringVal(0).toStringUtf8().strip())
                        .at("/id")
                        .asText())
                .isEqualTo("a");
        List<Event> losses = scalars(events, "train_loss");
        assertThat(losses).hasSize(20);
        for (int i = 0; i < 20; i++) {
            assertThat(losses.get(i).getStep()).isEqualTo(i + 1);
            assertThat(losses.get(i).getSummary().getValue(0).getSimpleValue()).isEqualTo(lossOf(i + 1));
        }
        assertThat(losses.get(4).getWallTime())
                .as("half of the first second")
                .isEqualTo((START + 500) / 1e3, within(1e-6));
        assertThat(losses.get(9).getWallTime()).isEqualTo((START + 1000) / 1e3);
        assertThat(losses.get(19).getWallTime()).isEqualTo((START + 5800) / 1e3);
        assertThat(scalars(events, "test_accuracy"))
                .extracting(
                        Event::getStep, event -> event.getSummary().getValue(0).getSimpleValue(), Event::getWallTime)
                .containsExactly(tuple(10L, 0.5f, (START + 1100) / 1e3), tuple(20L, 0.75f, (START + 6000) / 1e3));
        assertThat(scalars(events, "test_loss")).hasSize(2);
        assertThat(scalars(events, "user/test_loss"))
                .extracting(
                        Event::getStep, event -> event.getSummary().getValue(0).getSimpleValue(), Event::getWallTime)
                .containsExactly(tuple(20L, 0.1f, (START + 6500) / 1e3));
        List<Event> odd = scalars(eventsOf(folder.resolve("out/%2E.%2Fc")), "train_loss");
        assertThat(odd.get(1).getSummary().getValue(0).getSimpleValue()).isNaN();
        assertThat(scalars(eventsOf(folder.resolve("out/b")), "train_loss")).isEmpty();
    }

    private static List<Event> scalars(List<Event> events, String tag) {
        return events.stream()
                .filter(event -> event.getSummary().getValueCount() == 1
                        && event.getSummary().getValue(0).getTag().equals(tag))
                .toList();
    }

    private static List<Event> eventsOf(Path run) throws IOException {
        try (Stream<Path> files = Files.list(run)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            assertThat(all.getFirst().getFileName().toString()).contains("tfevents");
            return TensorFlowRecords.read(all.getFirst());
        }
    }

    @Test
    void mlflowReadsRunsWithMetricsParametersAndTags() throws IOException {
        export(ExportFormat.MLFLOW);
        Path experiment;
        try (Stream<Path> experiments = Files.list(folder.resolve("out"))) {
            experiment = experiments.toList().getFirst();
        }
        Map<String, Object> meta = yaml(experiment.resolve("meta.yaml"));
        assertThat(meta)
                .containsEntry("experiment_id", experiment.getFileName().toString())
                .containsEntry("name", "trainyard")
                .containsEntry("lifecycle_stage", "active");
        Path run = experiment.resolve(MlflowExporter.runId("a"));
        assertThat(run.getFileName().toString()).matches("[0-9a-f]{32}");
        assertThat(yaml(run.resolve("meta.yaml")))
                .containsEntry("run_id", run.getFileName().toString())
                .containsEntry("experiment_id", experiment.getFileName().toString())
                .containsEntry("run_name", "a")
                .containsEntry("status", 3)
                .containsEntry("start_time", START)
                .containsEntry("end_time", START + 6000);
        List<String> losses = Files.readAllLines(run.resolve("metrics/train_loss"));
        assertThat(losses).hasSize(20);
        assertThat(losses.get(9)).isEqualTo((START + 1000) + " " + lossOf(10) + " 10");
        assertThat(Files.readAllLines(run.resolve("metrics/test_accuracy")))
                .containsExactly((START + 1100) + " 0.5 10", (START + 6000) + " 0.75 20");
        assertThat(Files.readAllLines(run.resolve("metrics/test_macro_f1"))).hasSize(2);
        assertThat(run.resolve("metrics/user test_loss")).hasContent((START + 6500) + " 0.1 20");
        assertThat(run.resolve("metrics/user test_loss x")).hasContent((START + 6500) + " 2.0 20");
        assertThat(run.resolve("params/batchSize")).hasContent("8");
        assertThat(run.resolve("params/dataset.name")).hasContent("shapes32");
        assertThat(run.resolve("tags/mlflow.runName")).hasContent("a");
        assertThat(run.resolve("tags/mlflow.note.content")).hasContent(NOTE);
        assertThat(run.resolve("tags/trainyard.tags")).hasContent("base old");
        Path odd = experiment.resolve(MlflowExporter.runId("../c"));
        assertThat(yaml(odd.resolve("meta.yaml"))).containsEntry("status", 1).containsEntry("end_time", null);
        assertThat(Files.readAllLines(odd.resolve("metrics/train_loss")).get(1)).contains(" NaN 2");
    }

    private static Map<String, Object> yaml(Path file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
    }

    @Test
    void csvIsQuotedAsInRfc4180() throws IOException {
        export(ExportFormat.CSV);
        String jobs = Files.readString(folder.resolve("out/jobs.csv"));
        assertThat(jobs)
                .startsWith("job,state,network,dataset,")
                .contains("\r\na,finished,lenet,shapes32,cpu,w2,2,20,20,")
                .contains(",base old,\"he said \"\"why, not\"\"\nand left\",\"{\"\"id\"\"")
                .contains("\r\nb,queued,lenet,shapes32,,,0,0,0,,,,0,,,,,\"{")
                .endsWith("\r\n");
        List<String> losses = Files.readAllLines(folder.resolve("out/losses.csv"));
        assertThat(losses).hasSize(1 + 22);
        assertThat(losses.getFirst()).isEqualTo("job,attempt,epoch,step,loss,learning_rate,time");
        assertThat(losses.get(10))
                .isEqualTo("a,1,0,10,%s,0.05,%s".formatted(lossOf(10), Instant.ofEpochMilli(START + 1000)));
        assertThat(losses.get(13)).startsWith("a,2,1,13,");
        assertThat(losses.getLast()).startsWith("../c,1,0,2,NaN,");
        assertThat(Files.readAllLines(folder.resolve("out/metrics.csv")))
                .hasSize(3)
                .startsWith("job,name,step,value,time")
                .contains("a,test_loss/x,20,2.0," + Instant.ofEpochMilli(START + 6500));
        ClassMetrics macro = ClassMetrics.of(tested("a", 2, 1, 20, 0.75)).orElseThrow();
        assertThat(macro.macroF1()).isBetween(0.7, 0.8);
        assertThat(Files.readAllLines(folder.resolve("out/epochs.csv")))
                .hasSize(3)
                .last()
                .asString()
                .startsWith("a,2,1,20,0.7999999999999998,0.75,")
                .contains(",%s,%s,%s,".formatted(macro.macroF1(), macro.macroF1Low(), macro.macroF1High()))
                .endsWith(",8500000,640000,310000,800000,190000,test");
    }

    @Test
    void anotherReaderOfParquetFindsAllRows() throws IOException {
        export(ExportFormat.PARQUET);
        try (ParquetFileReader file = open("losses");
                RowReader rows = file.rowReader()) {
            assertThat(file.getFileMetaData().numRows()).isEqualTo(22);
            for (int step = 1; step <= 20; step++) {
                rows.next();
                assertThat(rows.getString("job")).isEqualTo("a");
                assertThat(rows.getInt("attempt")).isEqualTo(step <= 12 ? 1 : 2);
                assertThat(rows.getLong("step")).isEqualTo(step);
                assertThat(rows.getFloat("loss")).isEqualTo(lossOf(step));
                assertThat(rows.getDouble("learning_rate")).isEqualTo(0.05);
                if (step == 10) {
                    assertThat(rows.getTimestamp("time")).isEqualTo(Instant.ofEpochMilli(START + 1000));
                }
            }
        }
        try (ParquetFileReader file = open("jobs");
                RowReader rows = file.rowReader()) {
            rows.next();
            assertThat(rows.getString("note")).isEqualTo(NOTE);
            assertThat(rows.getDouble("test_accuracy")).isEqualTo(0.75);
            rows.next();
            assertThat(rows.getString("job")).isEqualTo("b");
            assertThat(rows.isNull("worker")).isTrue();
            assertThat(rows.isNull("start")).isTrue();
            assertThat(MAPPER.readTree(rows.getString("command")).at("/id").asText())
                    .isEqualTo("b");
            rows.next();
            assertThat(rows.getString("job")).isEqualTo("../c");
            assertThat(rows.isNull("command")).isTrue();
            assertThat(rows.getFloat("loss")).isNaN();
            assertThat(rows.hasNext()).isFalse();
        }
    }

    private ParquetFileReader open(String table) throws IOException {
        return ParquetFileReader.open(InputFile.of(folder.resolve("out/" + table + ".parquet")));
    }

    /// More rows than a row group, more values than a page, missing values, and many texts.
    @Test
    void parquetHoldsMoreThanARowGroup() throws IOException {
        int rows = (1 << 20) + (1 << 16) + 7;
        Columns columns = new Columns(
                "many",
                List.of(
                        Columns.column("text", Columns.Type.TEXT),
                        Columns.column("number", Columns.Type.LONG),
                        Columns.column("real", Columns.Type.FLOAT),
                        Columns.optional("rate", Columns.Type.DOUBLE)));
        Files.createDirectories(folder.resolve("out"));
        double sum = 0;
        try (ParquetTable table = new ParquetTable(folder.resolve("out/many.parquet"), columns)) {
            for (int i = 0; i < rows; i++) {
                table.row("run-" + i / 1000, i - 10L, 1f / (i + 1), i % 3 == 0 ? i * 0.5 : null);
                sum += 1f / (i + 1);
            }
            table.finish();
        }
        try (ParquetFileReader file = open("many")) {
            assertThat(file.getFileMetaData().rowGroups()).hasSize(2);
            long next = -10;
            try (ColumnReader numbers = file.columnReader("number")) {
                while (numbers.nextBatch()) {
                    for (int i = 0; i < numbers.getRecordCount(); i++) {
                        assertThat(numbers.getLongs()[i]).isEqualTo(next++);
                    }
                }
            }
            assertThat(next).isEqualTo(rows - 10L);
            double read = 0;
            try (ColumnReader reals = file.columnReader("real")) {
                while (reals.nextBatch()) {
                    for (int i = 0; i < reals.getRecordCount(); i++) {
                        read += reals.getFloats()[i];
                    }
                }
            }
            assertThat(read).isEqualTo(sum);
            assertThat(rates(file))
                    .isEqualTo(LongStream.iterate(0, i -> i < rows, i -> i + 3)
                            .mapToDouble(i -> i * 0.5)
                            .boxed()
                            .toList());
            int row = 0;
            try (ColumnReader texts = file.columnReader("text")) {
                while (texts.nextBatch()) {
                    for (String text : texts.getStrings()) {
                        if (row < rows && !text.equals("run-" + row / 1000)) {
                            assertThat(text).as("row %d", row).isEqualTo("run-" + row / 1000);
                        }
                        row++;
                    }
                }
            }
            assertThat(row).isEqualTo(rows);
        }
    }

    /// The values of the column with missing values.
    private static List<Double> rates(ParquetFileReader file) {
        List<Double> found = new ArrayList<>();
        try (ColumnReader rates = file.columnReader("rate")) {
            while (rates.nextBatch()) {
                for (int i = 0; i < rates.getRecordCount(); i++) {
                    if (rates.getLeafValidity().isNotNull(i)) {
                        found.add(rates.getDoubles()[i]);
                    }
                }
            }
        }
        return found;
    }

    @Test
    void filesAreOverwrittenOnlyOnRequest() throws IOException {
        JobExport export = new JobExport(store);
        Path out = folder.resolve("out");
        Files.createDirectories(out);
        Files.writeString(out.resolve("mine.txt"), "mine");
        assertThatThrownBy(() -> export.export(List.of("a"), ExportFormat.CSV, out, false, _ -> {}))
                .isInstanceOf(ExportException.class)
                .hasMessageContaining("out is not empty; name another folder")
                .hasMessageContaining("--force");
        export.export(List.of("a"), ExportFormat.CSV, out, true, _ -> {});
        export.export(List.of("b"), ExportFormat.CSV, out, true, _ -> {});
        assertThat(Files.readAllLines(out.resolve("losses.csv"))).hasSize(1);
        assertThat(out.resolve("mine.txt")).hasContent("mine");
        assertThatThrownBy(() -> export.export(List.of("a"), ExportFormat.CSV, out.resolve("mine.txt"), true, _ -> {}))
                .isInstanceOf(ExportException.class)
                .hasMessageContaining("is a file; name a folder");
    }

    @Test
    void anInterruptedExportLeavesNoPartialFile() throws IOException {
        Path out = folder.resolve("out");
        Files.createDirectories(out.resolve("epochs.csv.part/in-the-way"));
        assertThatThrownBy(() -> new JobExport(store).export(List.of("a"), ExportFormat.CSV, out, true, _ -> {}))
                .isInstanceOf(ExportException.class)
                .hasMessageContaining("broke off after 0 jobs");
        try (Stream<Path> files = Files.list(out)) {
            assertThat(files).extracting(Path::getFileName).containsExactly(Path.of("epochs.csv.part"));
        }
    }

    @Test
    void findsJobsByStoreAndState() {
        JobExport export = new JobExport(store);
        JobQuery tagged = new JobQuery(Set.of(Status.FINISHED), "", "base", JobQuery.Sort.SUBMITTED, false, 1, 0);
        assertThat(export.find(tagged, _ -> true)).containsExactly("a");
        assertThat(export.find(tagged, state -> state.job().equals("b"))).isEmpty();
    }

    @Test
    void namesOfFilesLeaveTheFolderNever() {
        assertThat(FileName.of("tudui-1.b_c")).isEqualTo("tudui-1.b_c");
        assertThat(FileName.of("..")).isEqualTo("%2E.");
        assertThat(FileName.of("a/b\\\u00e9")).isEqualTo("a%2Fb%5C%C3%A9");
        assertThat(FileName.of("/".repeat(200))).hasSizeLessThan(200).isNotEqualTo(FileName.of("/".repeat(199)));
    }
}
