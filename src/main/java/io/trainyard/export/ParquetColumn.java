package io.trainyard.export;

import com.github.luben.zstd.Zstd;
import io.trainyard.export.Columns.Column;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesWriter.DoubleByteStreamSplitValuesWriter;
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesWriter.FloatByteStreamSplitValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesWriter;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/// A column of the row group under way: its pages, compressed, until the group is written. The library's
/// writers encode the values; the layout of pages is that of Parquet's specification.
final class ParquetColumn {
    private static final int SLAB = 1 << 12;
    private static final int MAX_SLAB = 1 << 20;
    private static final int COMPRESSION = 1;

    private final Column column;
    private final ValuesWriter values;

    /// Whether a row has a value, 1 or 0.
    private final ValuesWriter levels =
            new RunLengthBitPackingHybridValuesWriter(1, SLAB, MAX_SLAB, HeapByteBufferAllocator.getInstance());

    private final ParquetTexts texts = new ParquetTexts();
    private final ByteArrayOutputStream pages = new ByteArrayOutputStream();
    private int rowsOfPage;
    private long rowsOfGroup;
    private long plainBytes;

    ParquetColumn(Column column) {
        this.column = column;
        HeapByteBufferAllocator heap = HeapByteBufferAllocator.getInstance();
        values = switch (column.type()) {
            case INTEGER -> new DeltaBinaryPackingValuesWriterForInteger(SLAB, MAX_SLAB, heap);
            case LONG, TIME -> new DeltaBinaryPackingValuesWriterForLong(SLAB, MAX_SLAB, heap);
            case FLOAT -> new FloatByteStreamSplitValuesWriter(SLAB, MAX_SLAB, heap);
            case DOUBLE -> new DoubleByteStreamSplitValuesWriter(SLAB, MAX_SLAB, heap);
            case TEXT -> texts;
        };
    }

    void write(@Nullable Object value) {
        if (value == null && !column.optional()) {
            throw new IllegalStateException("every row has a " + column.name());
        }
        if (value != null) {
            switch (column.type()) {
                case TEXT -> texts.write((String) value);
                case INTEGER -> values.writeInteger((Integer) value);
                case LONG, TIME -> values.writeLong((Long) value);
                case FLOAT -> values.writeFloat((Float) value);
                case DOUBLE -> values.writeDouble((Double) value);
            }
        }
        if (column.optional()) {
            levels.writeInteger(value == null ? 0 : 1);
        }
        rowsOfPage++;
    }

    /// Of the texts of the row group under way, each counted once.
    long textBytes() {
        return texts.dictionaryBytes();
    }

    void endPage() throws IOException {
        if (rowsOfPage == 0) {
            return;
        }
        byte[] plain = column.optional()
                ? BytesInput.concat(levels.getBytes(), values.getBytes()).toByteArray()
                : values.getBytes().toByteArray();
        PageHeader header = new PageHeader();
        header.setType(PageType.DATA_PAGE);
        header.setData_page_header(new DataPageHeader(rowsOfPage, encoding(), Encoding.RLE, Encoding.RLE));
        plainBytes += write(header, plain, pages);
        values.reset();
        levels.reset();
        rowsOfGroup += rowsOfPage;
        rowsOfPage = 0;
    }

    private Encoding encoding() {
        return Encoding.valueOf(values.getEncoding().name());
    }

    /// Compresses a page and writes it.
    ///
    /// @return the bytes it would take if it were not compressed, with its header
    private static long write(PageHeader header, byte[] plain, ByteArrayOutputStream out) throws IOException {
        byte[] compressed = Zstd.compress(plain, COMPRESSION);
        header.setUncompressed_page_size(plain.length);
        header.setCompressed_page_size(compressed.length);
        int before = out.size();
        Util.writePageHeader(header, out);
        int headerBytes = out.size() - before;
        out.writeBytes(compressed);
        return headerBytes + plain.length;
    }

    /// The column's part of a row group.
    ///
    /// @param bytes dictionary and pages
    /// @param plainBytes how many they would be if they were not compressed
    record Chunk(ColumnChunk chunk, byte[] bytes, long plainBytes) {}

    /// Ends the column's part of the row group, and begins the next.
    ///
    /// @param offset in the file, where it will be written
    Chunk endGroup(long offset) throws IOException {
        endPage();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(pages.size());
        List<Encoding> encodings = new ArrayList<>(List.of(Encoding.RLE, encoding()));
        ColumnMetaData meta = new ColumnMetaData();
        if (column.type() == Columns.Type.TEXT) {
            PageHeader header = new PageHeader();
            header.setType(PageType.DICTIONARY_PAGE);
            header.setDictionary_page_header(new DictionaryPageHeader(texts.dictionarySize(), Encoding.PLAIN));
            plainBytes += write(header, texts.dictionary(), bytes);
            meta.setDictionary_page_offset(offset);
            encodings.add(Encoding.PLAIN);
            texts.minAndMax().ifPresent(meta::setStatistics);
        }
        meta.setType(physicalType(column));
        meta.setEncodings(encodings);
        meta.setPath_in_schema(List.of(column.name()));
        meta.setCodec(CompressionCodec.ZSTD);
        meta.setNum_values(rowsOfGroup);
        meta.setData_page_offset(offset + bytes.size());
        pages.writeTo(bytes);
        meta.setTotal_uncompressed_size(plainBytes);
        meta.setTotal_compressed_size(bytes.size());
        ColumnChunk chunk = new ColumnChunk(0);
        chunk.setMeta_data(meta);
        Chunk ended = new Chunk(chunk, bytes.toByteArray(), plainBytes);
        pages.reset();
        texts.forget();
        rowsOfGroup = 0;
        plainBytes = 0;
        return ended;
    }

    static Type physicalType(Column column) {
        return switch (column.type()) {
            case TEXT -> Type.BYTE_ARRAY;
            case INTEGER -> Type.INT32;
            case LONG, TIME -> Type.INT64;
            case FLOAT -> Type.FLOAT;
            case DOUBLE -> Type.DOUBLE;
        };
    }
}
