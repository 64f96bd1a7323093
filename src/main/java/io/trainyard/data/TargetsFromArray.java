package io.trainyard.data;

import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.spec.InvalidJobException;

final class TargetsFromArray {
    private TargetsFromArray() {}

    static Targets of(NumberArray array, Answers answers) {
        return switch (answers) {
            case Answers.Classes classes ->
                new Targets.ClassLabels(labels(array, classes.names().size()));
            case Answers.Numbers numbers -> numbers(array, numbers.outputs());
        };
    }

    static int outputs(NumberArray array) {
        if (array.rank() > 2) {
            throw DataFiles.wrong(array.file(), array.toString(), "(N) or (N, numbers to predict)");
        }
        return Math.toIntExact(array.elementsOfOne());
    }

    static int countClasses(NumberArray array) {
        int[] labels = labels(array, Dataset.MAX_CLASSES);
        int largest = 0;
        for (int label : labels) {
            largest = Math.max(largest, label);
        }
        return largest + 1;
    }

    private static int[] labels(NumberArray array, int classes) {
        if (array.rank() > 2 || array.elementsOfOne() != 1) {
            throw DataFiles.wrong(
                    array.file(), array.toString(), "class labels, (N): of one-hot rows numpy.argmax(y, axis=1)");
        }
        int[] labels = new int[length(array)];
        for (int i = 0; i < labels.length; i++) {
            double label = array.get(i);
            if (!(label >= 0 && label < classes) || label != Math.rint(label)) {
                throw DataFiles.wrong(
                        array.file(),
                        "%s of %s".formatted(array.place(i), array.type().whole() ? (Object) (long) label : label),
                        "class labels of 0 to %d; numbers to predict are \"targets\": \"numbers\""
                                .formatted(classes - 1));
            }
            labels[i] = (int) label;
        }
        return labels;
    }

    private static Targets.Numbers numbers(NumberArray array, int outputs) {
        if (outputs(array) != outputs) {
            throw DataFiles.wrong(array.file(), array.toString(), "%d numbers a sample".formatted(outputs));
        }
        float[] values = new float[length(array)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) array.get(i);
            if (!Float.isFinite(values[i])) {
                throw DataFiles.wrong(
                        array.file(),
                        "%s of %s".formatted(array.place(i), array.get(i)),
                        "numbers that are finite as float32");
            }
        }
        return new Targets.Numbers(values, outputs);
    }

    private static int length(NumberArray array) {
        if (array.elements() > DataFiles.MAX_PIXEL_BYTES / Float.BYTES) {
            throw new InvalidJobException("%s has more than %d numbers, the most there can be"
                    .formatted(array, DataFiles.MAX_PIXEL_BYTES / Float.BYTES));
        }
        return (int) array.elements();
    }
}
