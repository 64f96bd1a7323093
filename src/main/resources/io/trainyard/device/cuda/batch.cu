// Makes a batch of a dataset in device memory. *step counts the batches of an epoch or of the test set.

// The augmentation of one sample; io.trainyard.device.Augmentation.Change defines the fields.
struct Change {
    short down, right, flipped, cutTop, cutBottom, cutLeft, cutRight;
};

// Images of bytes and the floats that they are mapped to: `table` is (channels, 256).
struct Bytes {
    const unsigned char* images; // (all samples, channels, rows, columns)
    const float* table;

    __device__ float at(long long index, int channel) const {
        return table[channel * 256 + images[index]];
    }

    __device__ float black(int channel) const {
        return table[channel * 256];
    }
};

// Samples of float32 with a mean and a std for each channel: `table` is (channels, 2).
struct Floats {
    const float* images; // (all samples, channels, rows, columns)
    const float* table;

    __device__ float normalized(float value, int channel) const {
        return (value - table[2 * channel]) / table[2 * channel + 1];
    }

    __device__ float at(long long index, int channel) const {
        return normalized(images[index], channel);
    }

    __device__ float black(int channel) const {
        return normalized(0, channel);
    }
};

// One value of a changed sample: `plane` is where its channel of the original begins.
template <class Images>
__device__ float changed(
        Images images, long long plane, int channel, Change change, int row, int column, int rows, int columns) {
    if (row >= change.cutTop && row < change.cutBottom && column >= change.cutLeft && column < change.cutRight) {
        return 0;
    }
    int fromRow = row + change.down;
    int fromColumn = (change.flipped ? columns - 1 - column : column) + change.right;
    bool inside = fromRow >= 0 && fromRow < rows && fromColumn >= 0 && fromColumn < columns;
    return inside ? images.at(plane + fromRow * columns + fromColumn, channel) : images.black(channel);
}

// The samples `first` and following of the batch, `samples` of them.
template <class Images>
__device__ void gather(
        VALUE* out, // (samples, channels, rows, columns) or channels last
        Images images,
        const int* order, // (all samples): which to take; null: one after another
        const short* changes, // (window, batchSize, 7), the batches of `window` steps; null: none
        int step,
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
    int batchBegin = step * batchSize;
    const Change* batchChanges = (const Change*) changes + (long long) (changes ? step % window : 0) * batchSize;
    for (long long i = thread(); i < (long long) samples * elements; i += threads()) {
        int n = quotient(i, elements);
        int element = i - (long long) n * elements;
        int channel = channelsLast ? element % channels : element / area;
        int pixel = channelsLast ? element / channels : element % area;
        int position = batchBegin + first + n;
        long long image = order ? order[position] : position;
        long long plane = image * elements + channel * area;
        if (changes) {
            int row = pixel / columns;
            int column = pixel % columns;
            out[i] = VALUE(changed(images, plane, channel, batchChanges[first + n], row, column, rows, columns));
        } else {
            out[i] = VALUE(images.at(plane + pixel, channel));
        }
    }
}

// Of images of bytes.
extern "C" __global__ void gather_batch(
        VALUE* out,
        const unsigned char* images,
        const int* order,
        const float* table, // (channels, 256)
        const short* changes,
        const int* step,
        int batchSize,
        int first,
        int samples,
        int channels,
        int rows,
        int columns,
        int window,
        int channelsLast) {
    Bytes bytes = {images, table};
    gather(out, bytes, order, changes, *step, batchSize, first, samples, channels, rows, columns, window, channelsLast);
}

// Of samples of float32.
extern "C" __global__ void gather_values(
        VALUE* out,
        const float* images,
        const int* order,
        const float* table, // (channels, 2)
        const short* changes,
        const int* step,
        int batchSize,
        int first,
        int samples,
        int channels,
        int rows,
        int columns,
        int window,
        int channelsLast) {
    Floats floats = {images, table};
    gather(out, floats, order, changes, *step, batchSize, first, samples, channels, rows, columns, window, channelsLast);
}

// For batches that end_step does not end.
extern "C" __global__ void next_step(int* step) {
    if (thread() == 0) {
        *step += 1;
    }
}
