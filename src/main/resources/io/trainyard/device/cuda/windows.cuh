// Images and pooling windows, shared by pooling.cu, windows.cu and averages.cu.

// Where a value is in a batch of images.
struct Place {
    long long sample;
    int channel, row, column;
};

// The memory layout of a batch of images.
struct Images {
    int channels, rows, columns;
    bool channelsLast;

    __device__ Place place(long long index) const {
        if (channelsLast) {
            long long pixel = quotient(index, channels);
            long long row = quotient(pixel, columns);
            long long sample = quotient(row, rows);
            return {sample, int(index - pixel * channels), int(row - sample * rows), int(pixel - row * columns)};
        }
        long long row = quotient(index, columns);
        long long plane = quotient(row, rows);
        long long sample = quotient(plane, channels);
        return {sample, int(plane - sample * channels), int(row - plane * rows), int(index - row * columns)};
    }

    __device__ long long index(Place place) const {
        return channelsLast
                ? ((place.sample * rows + place.row) * columns + place.column) * channels + place.channel
                : ((place.sample * channels + place.channel) * rows + place.row) * columns + place.column;
    }

    __device__ bool has(int row, int column) const {
        return row >= 0 && row < rows && column >= 0 && column < columns;
    }

    // How far the next column is; the next row is `columns` times as far.
    __device__ int step() const {
        return channelsLast ? channels : 1;
    }
};

// Calls f(i, place) for each value of a batch of images, its number in memory and where it is, one at a time.
template <class Function>
__device__ void eachValue(Images images, int samples, Function f) {
    long long n = (long long) samples * images.channels * images.rows * images.columns;
    for (long long i = thread(); i < n; i += threads()) {
        f(i, images.place(i));
    }
}

// The windows that cover any of the places `from` up to `to`, both included, of a side: `first` up to
// `last`, which may be none.
struct Windows {
    int first, last;
};

__device__ inline Windows covering(int from, int to, int kernel, int stride, int count) {
    return {from < kernel ? 0 : (from - kernel) / stride + 1, min(to / stride, count - 1)};
}
