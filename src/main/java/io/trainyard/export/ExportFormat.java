package io.trainyard.export;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

public enum ExportFormat {
    /// A folder a job, with an event file.
    TENSORBOARD {
        @Override
        JobExporter open(Path folder) {
            return new TensorBoardExporter(folder);
        }
    },

    /// A folder of runs, as `mlflow ui --backend-store-uri` reads it.
    MLFLOW {
        @Override
        JobExporter open(Path folder) throws IOException {
            return new MlflowExporter(folder);
        }
    },

    /// A file of jobs, one of losses, one of tested epochs.
    CSV {
        @Override
        JobExporter open(Path folder) throws IOException {
            return new TableExporter(columns -> new CsvTable(folder.resolve(columns.name() + ".csv"), columns));
        }
    },

    /// As [#CSV].
    PARQUET {
        @Override
        JobExporter open(Path folder) throws IOException {
            return new TableExporter(columns -> new ParquetTable(folder.resolve(columns.name() + ".parquet"), columns));
        }
    };

    /// @param folder that is there
    abstract JobExporter open(Path folder) throws IOException;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
