package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvTest extends DatasetFolder {
    private static final String LABEL = "\"label\": \"kind\", \"classNames\": [\"ash\", \"oak\"]";

    CsvTest() {
        super("leaves");
    }

    @BeforeEach
    void writeLeaves() throws IOException {
        describe(LABEL);
        write("train.csv", "length,kind,width\n1,oak,2\n3.5,ash,-4e1\n");
        write("test.csv", "length,kind,width\n.5,1,+6.\n");
    }

    private void describe(String fields) throws IOException {
        write("dataset.json", "{\"kind\": \"csv\", %s}".formatted(fields));
    }

    @Test
    void ignoresAByteOrderMark() throws IOException {
        describe(LABEL + ", \"columns\": [\"length\"]");
        write("train.csv", "\uFEFFlength,kind,width\n1,oak,2\n3.5,ash,-4e1\n");
        assertThat(values(open().train())).containsExactly(1, 3.5f);
    }

    @Test
    void aRowIsASampleAndAColumnNamesItsClass() {
        Dataset set = open();
        assertThat(set.shape()).isEqualTo(Shape.of(2));
        assertThat(set.outputs()).isEqualTo(2);
        assertThat(values(set.train())).containsExactly(1, 2, 3.5f, -40);
        assertThat(set.train().labels()).containsExactly(1, 0);
        assertThat(values(set.test())).containsExactly(0.5f, 6);
        assertThat(set.test().labels()).containsExactly(1);
    }

    @Test
    void columnsMayBeChosenAndOrdered() throws IOException {
        describe(LABEL + ", \"columns\": [\"width\", \"length\"]");
        assertThat(values(open().train())).containsExactly(2, 1, -40, 3.5f);
    }

    @Test
    void columnsMayBeTargets() throws IOException {
        write("test.csv", "length,kind,width\n5,1,6\n");
        describe("\"targets\": [\"width\", \"length\"], \"columns\": [\"kind\"], \"train\": \"test.csv\"");
        Dataset set = open();
        assertThat(values(set.train())).containsExactly(1);
        assertThat(set.train().targets())
                .isInstanceOfSatisfying(
                        Targets.Numbers.class,
                        numbers -> assertThat(numbers.values()).containsExactly(6, 5));
    }

    /// As scikit-learn's OneHotEncoder, in the place of the column.
    @Test
    void aColumnOfCategoriesBecomesANumberForEach() throws IOException {
        write("train.csv", "length,kind,width\n1,red,0\n2, blue ,1\n3,,1\n");
        write("test.csv", "width,kind,length\n1,red,4\n");
        describe(
                "\"label\": \"width\", \"classes\": 2, \"columns\": [\"kind\", \"length\"], \"oneHot\": {\"kind\": [\"\", \"blue\", \"red\"]}");
        assertThat(values(open().train())).containsExactly(0, 0, 1, 1, 0, 1, 0, 2, 1, 0, 0, 3);
        assertThat(values(open().test())).containsExactly(0, 0, 1, 4);
        assertThat(open().shape().sizes()).containsExactly(4);
        write("test.csv", "length,kind,width\n1,green,0\n");
        assertRefused(
                "\"green\" in line 2, column kind",
                "one of its 3 categories in \"oneHot\" of dataset.json; add it there, or remove the row");
    }

    @Test
    void aTableWithoutAHeaderHasNumberedColumns() throws IOException {
        write("a.txt", "1;0\n2;1\n");
        describe("\"header\": false, \"separator\": \";\", \"label\": \"1\", \"classes\": 2,"
                + " \"train\": \"a.txt\", \"test\": \"a.txt\"");
        assertThat(values(open().train())).containsExactly(1, 2);
        assertThat(open().train().labels()).containsExactly(0, 1);
    }

    /// As spreadsheets write it.
    @Test
    void acceptsQuotesSpacesEmptyLinesAndOtherLineEnds() throws IOException {
        write("train.csv", "\uFEFF\"length\", kind ,\"width \"\r\n\"1\",\"oak\",2\r\n\r\n 3 , ash ,4");
        assertThat(values(open().train())).containsExactly(1, 2, 3, 4);
        assertThat(open().train().labels()).containsExactly(1, 0);
        write("dataset.json", """
                {"kind": "csv", "label": "kind", "classNames": ["an \\"ash\\", high", "oak"]}""");
        write("train.csv", "length,kind,width\n1,\"an \"\"ash\"\", high\",2\n");
        assertThat(open().train().labels()).containsExactly(0);
    }

    @Test
    void manyRowsAreKeptInOrder() throws IOException {
        write(
                "train.csv",
                "length,kind,width\n"
                        + IntStream.range(0, 50_000)
                                .mapToObj(i -> "%d,%d,0\n".formatted(i, i % 2))
                                .collect(Collectors.joining()));
        float[] values = values(open().train());
        assertThat(values).hasSize(100_000);
        assertThat(values[99_998]).isEqualTo(49_999);
        assertThat(open().train().labels()[49_999]).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        length,kind,width/1,oak,x          | "x" in line 2, column width | a number; fill in or remove missing values
        length,kind,width/1,oak,2/,oak,2   | "" in line 3, column length | a number
        length,kind,width/1,oak,nan        | "nan" in line 2, column width | a number
        length,kind,width/1,oak,0x10       | "0x10" in line 2, column width | a number
        length,kind,width/1,oak,1e99       | "1e99" in line 2, column width | a number
        length,kind,width/1,elm,2          | "elm" in line 2, column kind | a label of 0 to 1, or one of classNames
        length,kind,width/1,2,2            | "2" in line 2, column kind | a label of 0 to 1
        length,kind,width/1,0.5,2          | "0.5" in line 2, column kind | a label of 0 to 1
        length,kind,width/1,oak            | 2 values in line 2 | 3, as in line 1
        length,kind,width/1,oak,2,3        | 4 values in line 2 | 3, as in line 1
        length,kind,width/1,"oak,2         | a quote in line 2 that does not end there | one line a row
        length,kind,width/1,"oak"s,2       | text behind a quoted value in line 2 | a separator
        length,kind,kind/1,oak,2           | two columns with one name | a different name for each
        length,type,width/1,oak,2          | the columns [length, type, width] | one named kind
        kind/oak                           | no column but [kind] | at least one more
        length,kind,width                  | no row | at least one
        length,kind/1,oak                  | 2 columns of numbers | 1, as in the file to train on
        """)
    void describesAnInvalidTable(String table, String found, String expected) throws IOException {
        write("train.csv", table.replace('/', '\n'));
        assertRefused(found, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        "classes": 2                                        | label and targets are both missing
        "label": "kind", "targets": ["width"], "classes": 2 | label and targets are both there
        "label": "kind"                                     | classes is missing; set their number
        "label": "kind", "classes": 2, "oneHot": {"kind": ["oak"]} | the features [length, width]; expected those of oneHot among them: [kind]
        "label": "kind", "classes": 2, "oneHot": {"width": []} | oneHot.width is []; name each
        "label": "kind", "classes": 2, "oneHot": {"width": ["a", "a"]} | oneHot.width is [a, a]; name each
        "label": "kind", "classes": 2, "oneHot": {"width": [null]} | oneHot.width has no categories, or one that is null
        "targets": ["width"], "classes": 2                  | there are classes or classNames, but targets are numbers
        "targets": ["width", "width"]                       | targets is [width, width]; name each column once
        "label": "kind", "classes": 2, "columns": []        | columns is []; name each column once, and at least one
        "label": "kind", "classes": 2, "separator": "."     | separator is "."; allowed is one character
        "label": "kind", "classes": 2, "separator": ",,"    | separator is ",,"; allowed is one character
        "label": "kind", "classes": 2, "normalize": {"mean": [1, 2, 3], "std": [1, 1, 1]} | 3 means and stds, but a sample is a row of 2 numbers
        "label": "kind", "classes": 2, "train": "../../x"   | ../../x leads out of the data root
        """)
    void describesAnInvalidManifest(String fields, String sentence) throws IOException {
        Files.writeString(root.resolveSibling("x"), "outside");
        describe(fields);
        assertRefused(sentence);
    }

    @Test
    void rejectsInvalidUtf8() throws IOException {
        Files.write(folder.resolve("train.csv"), "length,kind,width\n1,ö,2\n".getBytes(StandardCharsets.ISO_8859_1));
        assertRefused("bytes that are not UTF-8");
    }

    /// Without a limit, a file without line breaks would be read into memory as a whole.
    @Test
    void rejectsAnEndlessLine() throws IOException {
        write("train.csv", "1".repeat((1 << 20) + 1));
        assertRefused("line 1 of more than 1048576 characters");
        write("train.csv", "a,".repeat(10_001));
        assertRefused("more than 10000 columns");
        write("train.csv", "length,kind,width\n1,oak," + "1".repeat(1_000_000) + "x\n");
        assertRefused("in line 2, column width");
    }
}
