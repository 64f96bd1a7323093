// Makes a batch of a data set that lies on the device. *step counts the batches of an epoch or of the test set.

// How io.trainyard.device.Augmentation varies one sample; its Change says what the numbers mean.
struct Change {
    short down, right, flipped, cutTop, cutBottom, cutLeft, cutRight;
};

// One pixel of a changed sample as a value: `plane` (rows, columns) is its channel of the original, `table` (256)
// what that channel's bytes become.
__device__ inline float changed(
        const unsigned char* plane, const float* table, Change change, int row, int column, int rows, int columns) {
    if (row >= change.cutTop && row < change.cutBottom && column >= change.cutLeft && column < change.cutRight) {
        return 0;
    }
    int fromRow = row + change.down;
    int fromColumn = (change.flipped ? columns - 1 - column : column) + change.right;
    bool inside = fromRow >= 0 && fromRow < rows && fromColumn >= 0 && fromColumn < columns;
    return table[inside ? plane[fromRow * columns + fromColumn] : 0];
}

// The samples `first` and following of the batch, `samples` of them.
extern "C" __global__ void gather_batch(
        VALUE* out, // (samples, channels, rows, columns) or channels last
        const unsigned char* images, // (all samples, channels, rows, columns)
        const int* order, // (all samples): which to take; null: one after another
        const float* table, // (channels, 256): what a byte becomes
        const short* changes, // (window, batchSize, 7), the batches of `window` steps; null: none
        const int* step,
        int batchSize,
        int first,
        int samples,
        int channels,
        int rows,
        int columns,
        int window,
        int channelsLast) {
    int area = rows * columns;
    int elements = channels * area; // of one sample
    int batchBegin = *step * batchSize;
    const Change* batchChanges = (const Change*) changes + (long long) (changes ? *step % window : 0) * batchSize;
    for (long long i = thread(); i < (long long) samples * elements; i += threads()) {
        int n = quotient(i, elements);
        int element = i - (long long) n * elements;
        int channel = channelsLast ? element % channels : element / area;
        int pixel = channelsLast ? element / channels : element % area;
        int position = batchBegin + first + n;
        long long image = order ? order[position] : position;
        const unsigned char* plane = images + image * elements + channel * area;
        const float* values = table + channel * 256;
        if (changes) {
            int row = pixel / columns;
            int column = pixel % columns;
            out[i] = VALUE(changed(plane, values, batchChanges[first + n], row, column, rows, columns));
        } else {
            out[i] = VALUE(values[plane[pixel]]);
        }
    }
}

// For batches that end_step does not end.
extern "C" __global__ void next_step(int* step) {
    if (thread() == 0) {
        *step += 1;
    }
}
