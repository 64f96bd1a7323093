package io.trainyard.export;

import io.trainyard.export.Columns.Column;
import io.trainyard.export.Columns.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MilliSeconds;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/// A Parquet file, written row group by row group; only one of them is in memory. Parquet's own writer depends
/// on Hadoop; this one uses only its encodings and its metadata ([decision
/// 16](../../../../../../docs/contributing/decisions/16-exports.md)).
final class ParquetTable implements Table {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 2;
    private static final int PAGE_ROWS = 1 << 16;
    private static final int GROUP_ROWS = 1 << 20;

    private static final int LOOK_ROWS = 1 << 8;

    /// A row group is written when its texts have this many bytes.
    private static final long MAX_TEXT_BYTES = 64L << 20;

    private final List<ParquetColumn> columns;
    private final List<SchemaElement> schema = new ArrayList<>();
    private final List<RowGroup> groups = new ArrayList<>();
    private final ReplacedFile file;
    private long position;
    private long rows;
    private int rowsOfGroup;

    ParquetTable(Path path, Columns table) throws IOException {
        columns = table.columns().stream().map(ParquetColumn::new).toList();
        SchemaElement root = new SchemaElement(table.name());
        root.setNum_children(columns.size());
        schema.add(root);
        table.columns().stream().map(ParquetTable::element).forEach(schema::add);
        file = new ReplacedFile(path);
        write(MAGIC);
    }

    private static SchemaElement element(Column column) {
        SchemaElement element = new SchemaElement(column.name());
        element.setType(ParquetColumn.physicalType(column));
        element.setRepetition_type(column.optional() ? FieldRepetitionType.OPTIONAL : FieldRepetitionType.REQUIRED);
        if (column.type() == Type.TEXT) {
            element.setConverted_type(ConvertedType.UTF8);
            element.setLogicalType(LogicalType.STRING(new StringType()));
        } else if (column.type() == Type.TIME) {
            element.setConverted_type(ConvertedType.TIMESTAMP_MILLIS);
            element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(true, TimeUnit.MILLIS(new MilliSeconds()))));
        }
        return element;
    }

    private void write(byte[] bytes) throws IOException {
        file.out().write(bytes);
        position += bytes.length;
    }

    @Override
    public void row(@Nullable Object... values) throws IOException {
        if (values.length != columns.size()) {
            throw new IllegalStateException("a row has %d values of %d".formatted(values.length, columns.size()));
        }
        for (int i = 0; i < values.length; i++) {
            columns.get(i).write(values[i]);
        }
        rows++;
        rowsOfGroup++;
        if (rowsOfGroup == GROUP_ROWS || (rowsOfGroup % LOOK_ROWS == 0 && textBytes() >= MAX_TEXT_BYTES)) {
            endGroup();
        } else if (rowsOfGroup % PAGE_ROWS == 0) {
            for (ParquetColumn each : columns) {
                each.endPage();
            }
        }
    }

    private long textBytes() {
        long bytes = 0;
        for (ParquetColumn each : columns) {
            bytes += each.textBytes();
        }
        return bytes;
    }

    private void endGroup() throws IOException {
        if (rowsOfGroup == 0) {
            return;
        }
        List<ColumnChunk> chunks = new ArrayList<>();
        long bytes = 0;
        for (ParquetColumn each : columns) {
            ParquetColumn.Chunk chunk = each.endGroup(position);
            write(chunk.bytes());
            chunks.add(chunk.chunk());
            bytes += chunk.plainBytes();
        }
        groups.add(new RowGroup(chunks, bytes, rowsOfGroup));
        rowsOfGroup = 0;
    }

    @Override
    public void finish() throws IOException {
        endGroup();
        FileMetaData meta = new FileMetaData(VERSION, schema, rows, groups);
        meta.setCreated_by("trainyard");
        meta.setColumn_orders(Collections.nCopies(columns.size(), ColumnOrder.TYPE_ORDER(new TypeDefinedOrder())));
        ByteArrayOutputStream footer = new ByteArrayOutputStream();
        Util.writeFileMetaData(meta, footer);
        write(footer.toByteArray());
        write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footer.size())
                .array());
        write(MAGIC);
        file.finish();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
