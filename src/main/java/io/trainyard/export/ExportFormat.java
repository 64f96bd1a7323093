package io.trainyard.export;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

public enum ExportFormat {
    /// A folder a job, with an event file.
    TENSORBOARD,

    /// A folder of runs, as `mlflow ui --backend-store-uri` reads it.
    MLFLOW,

    /// A file of jobs, one of losses, one of tested epochs.
    CSV,

    /// As [#CSV].
    PARQUET;

    /// @param folder that is there
    JobExporter open(Path folder) throws IOException {
        return switch (this) {
            case TENSORBOARD -> new TensorBoardExporter(folder);
            case MLFLOW -> new MlflowExporter(folder);
            case CSV -> new TableExporter(columns -> new CsvWriter(folder.resolve(columns.name() + ".csv"), columns));
            case PARQUET ->
                new TableExporter(columns -> new ParquetTable(folder.resolve(columns.name() + ".parquet"), columns));
        };
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
