import dev.hardwood.InputFile;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.ParquetFileReader;
import java.nio.file.Path;
import java.util.Locale;

/// Counts the rows of an exported file of losses and adds up the losses, with a reader that shares no code with the writer.
///
///     java -cp $(cat target/classpath) bench/exports/ParquetSum.java FOLDER/losses.parquet
public final class ParquetSum {
    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        try (ParquetFileReader file = ParquetFileReader.open(InputFile.of(Path.of(args[0])));
                ColumnReader losses = file.columnReader("loss")) {
            long count = 0;
            double sum = 0;
            while (losses.nextBatch()) {
                float[] values = losses.getFloats();
                for (int i = 0; i < losses.getRecordCount(); i++) {
                    sum += values[i];
                }
                count += losses.getRecordCount();
            }
            System.out.printf(Locale.ROOT, "%,d losses, sum %.6f, read in %.1f s%n", count, sum, (System.nanoTime() - start) / 1e9);
        }
    }
}
