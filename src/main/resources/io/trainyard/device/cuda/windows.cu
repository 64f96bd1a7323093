// Max pooling with windows that are padded, dilated or not square, and resampling. A thread computes one value at a time;
// pooling.cu has the usual cases.

// Along a side, tap t of window i is at i * stride - before + t * dilation.
struct Side {
    int taps, stride, dilation, before;

    __device__ int at(int window, int tap) const {
        return window * stride - before + tap * dilation;
    }

    // The window whose tap is at a place; -1 if none of `count` windows is.
    __device__ int window(int place, int tap, int count) const {
        int begin = place + before - tap * dilation;
        return begin >= 0 && begin % stride == 0 && begin / stride < count ? begin / stride : -1;
    }
};

// y = the largest x of each window; of equals the first in row-major order, of several NaN the last, as in PyTorch.
extern "C" __global__ void max_pool_windows_forward(
        VALUE* y, // (samples, channels, outRows, outColumns) or channels last
        int* index, // as y: row * columns + column of the largest
        const VALUE* x, // (samples, channels, rows, columns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast,
        int rowTaps,
        int rowStride,
        int rowDilation,
        int rowBefore,
        int columnTaps,
        int columnStride,
        int columnDilation,
        int columnBefore) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    Side down = {rowTaps, rowStride, rowDilation, rowBefore};
    Side along = {columnTaps, columnStride, columnDilation, columnBefore};
    eachValue(out, samples, [=](long long i, Place to) {
        int chosen = -1; // every window has a pixel
        VALUE largest = VALUE(0.f);
        for (int a = 0; a < down.taps; a++) {
            int row = down.at(to.row, a);
            for (int b = 0; b < along.taps; b++) {
                int column = along.at(to.column, b);
                if (!in.has(row, column)) {
                    continue;
                }
                VALUE next = x[in.index({to.sample, to.channel, row, column})];
                float value = float(next);
                if (chosen < 0 || value > float(largest) || value != value) {
                    largest = next;
                    chosen = row * columns + column;
                }
            }
        }
        y[i] = largest;
        index[i] = chosen;
    });
}

// Each dx collects the gradients of the windows that chose its x.
extern "C" __global__ void max_pool_windows_backward(
        VALUE* dx, // (samples, channels, rows, columns) or channels last
        const VALUE* dy, // (samples, channels, outRows, outColumns) or channels last
        const int* index, // as dy; from max_pool_windows_forward
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast,
        int rowTaps,
        int rowStride,
        int rowDilation,
        int rowBefore,
        int columnTaps,
        int columnStride,
        int columnDilation,
        int columnBefore) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    Side down = {rowTaps, rowStride, rowDilation, rowBefore};
    Side along = {columnTaps, columnStride, columnDilation, columnBefore};
    eachValue(in, samples, [=](long long i, Place to) {
        int own = to.row * columns + to.column;
        float sum = 0;
        for (int a = down.taps - 1; a >= 0; a--) {
            int row = down.window(to.row, a, outRows);
            for (int b = along.taps - 1; row >= 0 && b >= 0; b--) {
                int column = along.window(to.column, b, outColumns);
                if (column >= 0) {
                    long long from = out.index({to.sample, to.channel, row, column});
                    sum += index[from] == own ? float(dy[from]) : 0;
                }
            }
        }
        dx[i] = VALUE(sum);
    });
}

// Images with zeros below and right.
extern "C" __global__ void pad_forward(
        VALUE* y, // (samples, channels, outRows, outColumns) or channels last
        const VALUE* x, // (samples, channels, rows, columns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    eachValue(out, samples, [=](long long i, Place to) {
        y[i] = in.has(to.row, to.column) ? x[in.index(to)] : VALUE(0.f);
    });
}

extern "C" __global__ void pad_backward(
        VALUE* dx, // (samples, channels, rows, columns) or channels last
        const VALUE* dy, // (samples, channels, outRows, outColumns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    eachValue(in, samples, [=](long long i, Place to) { dx[i] = dy[out.index(to)]; });
}

// The pixel, of `size`, that pixel i of the resized image copies, as in io.trainyard.spec.Nearest.
__device__ inline int nearest(int i, float step, int size) {
    return min(int(float(i) * step), size - 1);
}

extern "C" __global__ void upsample_forward(
        VALUE* y, // (samples, channels, outRows, outColumns) or channels last
        const VALUE* x, // (samples, channels, rows, columns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast,
        float rowStep,
        float columnStep) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    eachValue(out, samples, [=](long long i, Place to) {
        int row = nearest(to.row, rowStep, rows);
        int column = nearest(to.column, columnStep, columns);
        y[i] = x[in.index({to.sample, to.channel, row, column})];
    });
}

// The first pixel that is a copy of `pixel` or one behind it; of none `count`.
__device__ inline int firstCopy(int pixel, float step, int size, int count) {
    int i = max(0, min(int(float(pixel) / step) - 1, count));
    while (i > 0 && nearest(i - 1, step, size) >= pixel) {
        i--;
    }
    while (i < count && nearest(i, step, size) < pixel) {
        i++;
    }
    return i;
}

// Each dx collects the gradients of its copies.
extern "C" __global__ void upsample_backward(
        VALUE* dx, // (samples, channels, rows, columns) or channels last
        const VALUE* dy, // (samples, channels, outRows, outColumns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast,
        float rowStep,
        float columnStep) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    eachValue(in, samples, [=](long long i, Place to) {
        int bottom = firstCopy(to.row + 1, rowStep, rows, outRows);
        int left = firstCopy(to.column, columnStep, columns, outColumns);
        int right = firstCopy(to.column + 1, columnStep, columns, outColumns);
        float sum = 0;
        for (int row = firstCopy(to.row, rowStep, rows, outRows); row < bottom; row++) {
            for (int column = left; column < right; column++) {
                sum += float(dy[out.index({to.sample, to.channel, row, column})]);
            }
        }
        dx[i] = VALUE(sum);
    });
}
