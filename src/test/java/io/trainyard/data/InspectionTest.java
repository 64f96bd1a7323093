package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.cli.report.InspectionText;
import io.trainyard.data.Inspection.ClassCount;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.SplitSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The report about a folder, and the description that it proposes.
class InspectionTest extends DatasetFolder {
    InspectionTest() {
        super("own");
    }

    private Inspection inspect() {
        return UserFolder.at(folder).inspect(DatasetSpec.named("own"));
    }

    /// Inspects, writes the proposed description, and opens the dataset with it.
    private Inspection written() {
        UserFolder own = UserFolder.at(folder);
        Inspection inspection = own.inspect(DatasetSpec.named("own"));
        assertThat(inspection.unreadable()).isNull();
        assertThat(own.write(inspection)).isEqualTo(folder.resolve("dataset.json"));
        Dataset dataset = new DataRoot(root).open(DatasetSpec.named("own"));
        assertThat(dataset.train().size()).isEqualTo(inspection.train());
        assertThat(dataset.test().size()).isEqualTo(inspection.test());
        assertThat(UserFolder.at(folder).inspect(DatasetSpec.named("own")).described())
                .isTrue();
        return inspection;
    }

    @Test
    void inspectsTheColumnsOfATable() throws IOException {
        write("train.csv", "id;long;class;note\n1;2.5;oak;x\n2;3.5;ash;\n3;4.5;oak;y\n4;-2.5;elm;z\n");
        write("test.csv", "id;long;class;note\n5;1;oak;-\n");
        Inspection found = written();
        assertThat(found.description().toString())
                .startsWith(
                        "{\"kind\":\"csv\",\"separator\":\";\",\"label\":\"class\",\"classNames\":[\"ash\",\"elm\",\"oak\"],"
                                + "\"columns\":[\"id\",\"long\"],\"normalize\":{\"mean\":[2.5,2.0],");
        assertThat(found.classes())
                .containsExactly(new ClassCount("ash", 1, 0), new ClassCount("elm", 1, 0), new ClassCount("oak", 2, 1));
        assertThat(found.channels()).extracting(Inspection.Channel::name).containsExactly("id", "long");
        assertThat(found.channels().get(1).std()).isCloseTo(2.692582, within(1e-6)); // numpy.std([2.5, 3.5, 4.5, -2.5])
        assertThat(found.channels().get(1).least()).isEqualTo(-2.5);
        assertThat(found.channels().get(1).most()).isEqualTo(4.5);
        assertThat(String.join("\n", found.reasons()))
                .contains(
                        "column note has nothing in 1 rows (line 3 first) and no number in 3 rows (\"x\" in line 2 first)");
        assertThat(found.odd()).contains("2 classes have no sample to test on: ash, elm");
    }

    @Test
    void describesATableWithoutHeaderOrTestPart() throws IOException {
        write("all.csv", "1,0\n2,1\n3,0\n4,2\n5,1\n6,0\n");
        Inspection found = written();
        assertThat(found.description().toString())
                .startsWith(
                        "{\"kind\":\"csv\",\"train\":\"all.csv\",\"header\":false,\"label\":\"1\",\"classes\":3,\"split\":{\"test\":0.2,\"seed\":0}");
        assertThat(found.train()).isEqualTo(5);
        assertThat(found.test()).isEqualTo(1);
    }

    @Test
    void theOnlyColumnOfNamesIsTheLabel() throws IOException {
        write("train.csv", "species,long,wide\noak,1,2\nash,2,5\noak,3,4\n");
        write("test.csv", "species,long,wide\noak,1,2\n");
        Inspection found = written();
        assertThat(found.description().path("label").asText()).isEqualTo("species");
        assertThat(found.description().path("classNames").toString()).isEqualTo("[\"ash\",\"oak\"]");
    }

    @Test
    void numbersInTheLastColumnAreTargets() throws IOException {
        write("train.csv", "a,price\n1,1000.5\n2,70000\n3,2\n");
        write("test.csv", "a,price\n1,1\n");
        Inspection found = written();
        assertThat(found.description().path("targets").toString()).isEqualTo("[\"price\"]");
        assertThat(found.classes()).isEmpty();
    }

    @Test
    void aNamedColumnIsTheLabel() throws IOException {
        write("train.csv", "kind,species,a,y\ncat,y,1,0.5\ndog,x,2,0.7\ncat,x,3,0.9\n");
        write("test.csv", "kind,species,a,y\ncat,x,4,0.5\n");
        assertThat(UserFolder.at(folder, "kind")
                        .inspect(DatasetSpec.named("own"))
                        .description())
                .asString()
                .startsWith(
                        "{\"kind\":\"csv\",\"label\":\"kind\",\"classNames\":[\"cat\",\"dog\"],\"oneHot\":{\"species\":[\"x\",\"y\"]},"
                                + "\"normalize\":{\"mean\":[0.666667,0.333333,2.0,0.7]");
        assertThatThrownBy(() -> UserFolder.at(folder, "knd"))
                .hasMessageEndingWith(
                        "has no column knd; allowed is one of kind, species, a, y; the nearest is \"kind\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        area,colour,median_house_value,rooms | median_house_value
        area,colour,SalePrice,rooms          | SalePrice
        area,colour,value,target             | target
        area,colour,Total Cost,rooms         | Total Cost
        area,colour,devalue,rooms            | colour
        """)
    void aNameThatEndsWithAWordForLabelsIsTheLabel(String columns, String label) throws IOException {
        write("train.csv", columns + "\n1,red,2.5,3\n2,blue,3.5,4\n3,red,1.5,6\n");
        write("test.csv", columns + "\n1,red,2.5,3\n");
        JsonNode description = written().description();
        assertThat(description
                        .path("label")
                        .asText(description.path("targets").path(0).asText()))
                .isEqualTo(label);
    }

    @Test
    void countsTheValidationPart() throws IOException {
        write("train.csv", "a,y\n1,0\n2,1\n3,1\n");
        write("validation.csv", "a,y\n4,0\n5,0\n");
        write("test.csv", "a,y\n6,1\n");
        Inspection found = written();
        assertThat(found.validation()).isEqualTo(2);
        assertThat(found.classes()).containsExactly(new ClassCount("0", 1, 2, 0), new ClassCount("1", 2, 0, 1));
        assertThat(InspectionText.lines(found))
                .anyMatch(line -> line.endsWith(
                        ": csv, 3 samples to train on, 2 to validate on, 1 to test on, each float32 of 1"))
                .anyMatch(line -> line.matches("CLASS +TRAIN +VALIDATION +TEST"))
                .anyMatch(line -> line.matches("0 +1 +2 +0"));
    }

    @Test
    void countsTheImagesOfAValidationFolder() throws IOException {
        StripedImages.write(folder.resolve("train"), 0, 16);
        StripedImages.write(folder.resolve("val"), 16, 24);
        StripedImages.write(folder.resolve("test"), 24, 28);
        Files.writeString(folder.resolve("val/vertical/broken.png"), "no picture");
        Inspection found = inspect();
        assertThat(found.validation()).isEqualTo(8);
        assertThat(found.classes()).extracting(ClassCount::validation).containsOnly(2);
        assertThat(found.odd()).anyMatch(line -> line.startsWith("cannot be read: vertical/broken.png"));
    }

    /// Neither numbers with some texts nor texts of more than 100 values become categories.
    @Test
    void textsBecomeCategories() throws IOException {
        StringBuilder rows = new StringBuilder("size,city,colour,y\n");
        for (int i = 0; i < 240; i++) {
            rows.append("%s,city-%d,%s,%d\n"
                    .formatted(i % 3 == 0 ? "n/a" : i % 4, i % 101, i % 2 == 0 ? "red" : "blue", i % 2));
        }
        write("train.csv", rows.toString());
        write("test.csv", "size,city,colour,y\n1,?,red,0\n2,?,blue,1\n");
        Inspection found = written();
        assertThat(found.description().toString())
                .startsWith(
                        "{\"kind\":\"csv\",\"label\":\"y\",\"classes\":2,\"columns\":[\"colour\"],\"oneHot\":{\"colour\":[\"blue\",\"red\"]},\"normalize\":{\"mean\":[0.5,0.5]");
        assertThat(found.channels()).extracting(Inspection.Channel::name).containsExactly("colour=blue", "colour=red");
        assertThat(found.reasons())
                .contains(
                        "column size has no number in 80 rows (\"n/a\" in line 2 first) and is left out of \"columns\"",
                        "column city has no number in 240 rows (\"city-0\" in line 2 first) and 101 different texts, of at most 100 to be categories and is left out of \"columns\"",
                        "the column colour has 2 categories, which become a number each; leave it out of \"columns\" and \"oneHot\" if they mean nothing");
    }

    @Test
    void reportsMissingValuesWithTheirPosition() throws IOException {
        write("train.csv", "a,b,y\n1,,0\n2,nan,1\n3,4,0\n,5,1\n");
        write("test.csv", "a,b,y\n1,2,0\n");
        write("dataset.json", "{\"kind\": \"csv\", \"label\": \"y\", \"classes\": 2}");
        Inspection found = inspect();
        assertThat(found.unreadable()).contains("in line 2, column b");
        assertThat(found.odd())
                .contains(
                        "train.csv: column a has nothing in 1 rows (line 5 first)",
                        "train.csv: column b has nothing in 1 rows (line 2 first) and no number in 1 rows (\"nan\" in line 3 first)");
    }

    @Test
    void reportsNonFiniteValuesOfArrays() throws IOException {
        Map<String, byte[]> arrays = Npy.rows();
        arrays.put("x_train", Npy.npy("<f4", "(3, 2)", Npy.floats(1, 2, Float.NaN, 4, Float.POSITIVE_INFINITY, 6)));
        Npy.write(folder, arrays);
        Inspection found = inspect();
        assertThat(found.unreadable()).contains("x_train[1, 0] of NaN");
        assertThat(found.odd())
                .anyMatch(sentence ->
                        sentence.contains("has 2 numbers that are NaN or infinite as float32, x_train[1, 0]"));
    }

    @ParameterizedTest
    @CsvSource({"'(2, 4, 3, 5)', NCHW", "'(2, 5, 6, 3)', NHWC", "'(2, 3, 5, 4)', NCHW", "'(2, 1, 1, 60)', NCHW"})
    void guessesTheLayoutByTheNumberOfChannels(String shape, String layout) throws IOException {
        int size = shape.equals("(2, 5, 6, 3)") ? 180 : 120;
        byte[] pixels = new byte[size];
        for (int i = 0; i < size; i++) {
            pixels[i] = (byte) i;
        }
        write("x_train.npy", Npy.npy("|u1", shape, pixels));
        write("x_test.npy", Npy.npy("|u1", shape, pixels));
        write("y_train.npy", Npy.npy("|u1", "(2,)", Npy.bytes(0, 1)));
        write("y_test.npy", Npy.npy("|u1", "(2,)", Npy.bytes(1, 1)));
        Inspection found = written();
        assertThat(found.description().path("layout").asText()).isEqualTo(layout);
        assertThat(found.odd())
                .contains(
                        "2 test samples are also training samples: tests will look better than the network is",
                        "1 of these have another label than the first of the equal ones",
                        "x_test[0] is x_train[0], with another label",
                        "x_test[1] is x_train[1]",
                        "1 classes have no sample to test on: 0");
    }

    /// Expected values: numpy.mean and numpy.std of the bytes / 255.
    @Test
    void reportsMeanAndDeviationOfBytesInNetworkUnits() throws IOException {
        write("x_train.npy", Npy.npy("|u1", "(2, 2)", Npy.bytes(0, 10, 255, 30)));
        write("x_test.npy", Npy.npy("|u1", "(1, 2)", Npy.bytes(7, 7)));
        write("y_train.npy", Npy.npy("|u1", "(2,)", Npy.bytes(0, 1)));
        write("y_test.npy", Npy.npy("|u1", "(1,)", Npy.bytes(0)));
        List<Inspection.Channel> channels = inspect().channels();
        assertThat(channels.get(0)).isEqualTo(new Inspection.Channel("0", 0.5, 0.5, 0, 1));
        assertThat(channels.get(1).mean()).isCloseTo(20 / 255.0, within(1e-12));
        assertThat(channels.get(1).std()).isCloseTo(10 / 255.0, within(1e-12));
        assertThat(channels.get(1).least()).isEqualTo(10 / 255.0);
        assertThat(channels.get(1).most()).isEqualTo(30 / 255.0);
    }

    /// A sum of squares would lose the small differences between large numbers.
    @Test
    void theDeviationOfLargeNumbersIsExact() throws IOException {
        Files.write(
                folder.resolve("x_train.npy"),
                Npy.npy("<f4", "(4, 1)", Npy.floats(1e8f, 1e8f + 8, 1e8f + 16, 1e8f + 24)));
        write("x_test.npy", Npy.npy("<f4", "(1, 1)", Npy.floats(0)));
        write("y_train.npy", Npy.npy("<f4", "(4,)", Npy.floats(1, 2, 3, 4)));
        write("y_test.npy", Npy.npy("<f4", "(1,)", Npy.floats(1)));
        Inspection found = written();
        assertThat(found.channels().getFirst().mean()).isEqualTo(100_000_012);
        assertThat(found.channels().getFirst().std()).isCloseTo(8 * Math.sqrt(1.25), within(1e-9));
        assertThat(found.description().has("normalize")).isFalse(); // its means must be below a million
        assertThat(found.odd()).anyMatch(sentence -> sentence.startsWith("some values are too far from 0"));
    }

    @Test
    void separatesDuplicatesWithinTheTestPart() throws IOException {
        write("train.csv", "a,y\n1,0\n2,1\n");
        write("test.csv", "a,y\n3,0\n4,1\n3,0\n");
        assertThat(inspect().odd())
                .contains("0 training samples and 1 test samples repeat an earlier one of their part")
                .noneMatch(sentence -> sentence.contains("are also training samples"));
    }

    @Test
    void warnsAboutConstantColumnsAndRareClasses() throws IOException {
        StringBuilder rows = new StringBuilder("a,b,y\n");
        for (int i = 0; i < 20; i++) {
            rows.append(i).append(",3,").append(i == 0 ? 2 : 0).append('\n');
        }
        write("train.csv", rows.toString());
        write("test.csv", "a,b,y\n1,3,2\n100,3,1\n");
        write("dataset.json", "{\"kind\": \"csv\", \"label\": \"y\", \"classes\": 4}");
        assertThat(inspect().odd())
                .contains(
                        "1 of 2 channels have one value in all samples to train on, counted from 0: 1",
                        "1 classes are tested, but have no sample to train on: 1",
                        "1 classes have no sample: 3",
                        "1 classes have no sample to test on: 0",
                        "the largest class has 19 samples to train on, the smallest 1: a job can have \"sampler\": \"balanced\", or \"classWeights\" in its \"loss\"");
    }

    @Test
    void inspectsImageSizesAndDuplicates() throws IOException {
        StripedImages.write(folder.resolve("train"), 0, 12);
        StripedImages.write(folder.resolve("test"), 12, 16);
        StripedImages.write(folder.resolve("test/checks/again.png"), 4);
        Files.writeString(folder.resolve("train/diagonal/1.png"), "no picture");
        DatasetSpec small = new DatasetSpec("own", null, List.of(8, 8), null, null, null, null);
        Inspection found = UserFolder.at(folder).inspect(small);
        assertThat(found.shape()).containsExactly(3, 8, 8);
        assertThat(found.train()).isEqualTo(11);
        assertThat(found.classes()).contains(new ClassCount("checks", 3, 2));
        assertThat(found.imageSizes()).isNotNull();
        assertThat(found.odd())
                .contains(
                        "cannot be read: diagonal/1.png: it is not a PNG, JPEG, BMP, GIF or WebP; convert it to one of these, or remove it",
                        "own/test/checks/again.png is own/train/checks/4.png");
        Inspection unsized = inspect();
        assertThat(unsized.shape()).isNull();
        assertThat(unsized.odd()).anyMatch(sentence -> sentence.contains("jobs must set one"));
    }

    @Test
    void meansOfImagesAreThoseOfThePackedSet() throws IOException {
        StripedImages.write(folder, 0, 30);
        DatasetSpec how = new DatasetSpec("own", null, List.of(8, 8), null, new SplitSpec(0.2, 1), null, null);
        Inspection images = UserFolder.at(folder).inspect(how);
        UserFolder.at(folder).pack(root.resolve("packed"), how, false);
        Inspection packed = UserFolder.at(root.resolve("packed")).inspect(DatasetSpec.named("packed"));
        assertThat(packed.channels()).isEqualTo(images.channels());
        assertThat(packed.classes()).isEqualTo(images.classes());
        assertThat(packed.kind()).isEqualTo("packed");
    }

    @Test
    void countsTheClassesOfIdxAndCifar() throws IOException {
        OwnIdx.write(folder, 9, 3);
        Files.move(folder.resolve("train-images-idx3-ubyte"), folder.resolve("train-pictures"));
        Inspection idx = written();
        assertThat(idx.description().path("classes").asInt()).isEqualTo(3);
        assertThat(idx.description().path("trainImages").asText()).isEqualTo("train-pictures");
        folder = Files.createDirectory(root.resolve("other"));
        byte[] records = new byte[4 * 3074];
        records[3074 + 1] = 6;
        write("train.bin", records);
        write("test.bin", records);
        Inspection cifar = inspect();
        assertThat(cifar.description().path("labels").asText()).isEqualTo("fine");
        assertThat(cifar.description().path("classes").asInt()).isEqualTo(7);
    }

    @Test
    void anEmptyFolderListsTheSupportedKinds() throws IOException {
        write("readme.txt", "nothing");
        assertThatThrownBy(() -> UserFolder.at(folder))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("has no known content");
        assertThatThrownBy(() -> UserFolder.at(folder.resolve("readme.txt"))).hasMessageContaining("is a file");
        assertThatThrownBy(() -> UserFolder.at(folder.resolve("none"))).hasMessageContaining("is not there");
    }

    @Test
    void keepsAnExistingDescription() throws IOException {
        Npy.write(folder, Npy.rows());
        UserFolder own = UserFolder.at(folder);
        Inspection inspection = own.inspect(DatasetSpec.named("own"));
        write("dataset.json", "{\"kind\": \"arrays\"}");
        assertThatThrownBy(() -> own.write(inspection))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("FileAlreadyExists");
        assertThat(Files.readString(folder.resolve("dataset.json"))).isEqualTo("{\"kind\": \"arrays\"}");
    }

    @Test
    void warnsAboutNamesThatAreInvalidInJobs() throws IOException {
        folder = Files.createDirectory(root.resolve("My Rows"));
        Npy.write(folder, Npy.rows());
        assertThat(inspect().odd()).anyMatch(sentence -> sentence.startsWith("no job can name the folder My Rows"));
    }
}
