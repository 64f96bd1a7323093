// Pooling without padding; windows may overlap. With the channels last a thread takes neighbouring channels at once
// where it can: they have the same windows.

template <int WIDTH>
__device__ void maxPool(
        VALUE* y, int* index, const VALUE* x, long long n, Images out, Images in, int kernel, int stride) {
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Place to = out.place(i);
        int row = to.row * stride;
        int column = to.column * stride;
        long long corner = in.index({to.sample, to.channel, row, column});
        Group<VALUE, WIDTH> largest = load<WIDTH>(x, corner);
        Group<int, WIDTH> chosen;
        for (int k = 0; k < WIDTH; k++) {
            chosen.at[k] = row * in.columns + column;
        }
        for (int a = 0; a < kernel; a++) {
            for (int b = 0; b < kernel; b++) {
                Group<VALUE, WIDTH> next = load<WIDTH>(x, corner + (a * in.columns + b) * in.step());
                for (int k = 0; k < WIDTH; k++) {
                    float value = float(next.at[k]);
                    if (value > float(largest.at[k]) || value != value) {
                        largest.at[k] = next.at[k];
                        chosen.at[k] = (row + a) * in.columns + column + b;
                    }
                }
            }
        }
        store(y, i, largest);
        store(index, i, chosen);
    }
}

// y = the largest x of each window; of equals the first in row-major order, of several NaN the last, as in PyTorch.
extern "C" __global__ void max_pool_forward(
        VALUE* y, // (samples, channels, outRows, outColumns) or channels last
        int* index, // as y: row * columns + column of the largest
        const VALUE* x, // (samples, channels, rows, columns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int kernel,
        int stride,
        int channelsLast) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    long long n = (long long) samples * channels * outRows * outColumns;
    if (channelsLast && channels % LANES == 0 && aligned<LANES>(y) && aligned<LANES>(index) && aligned<LANES>(x)) {
        maxPool<LANES>(y, index, x, n, out, in, kernel, stride);
    } else {
        maxPool<1>(y, index, x, n, out, in, kernel, stride);
    }
}

// Each dx collects the gradients of the windows that chose its x, so that no two threads write to one place. A
// thread takes WIDTH neighbouring columns with the channels first: a window is theirs if it chose one of them.
template <int WIDTH>
__device__ void maxPoolGradient(
        VALUE* dx, const VALUE* dy, const int* index, long long n, Images out, Images in, int kernel, int stride) {
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Place to = in.place(i);
        int own = to.row * in.columns + to.column;
        Windows rows = covering(to.row, to.row, kernel, stride, out.rows);
        Windows columns = covering(to.column, to.column + WIDTH - 1, kernel, stride, out.columns);
        float sums[WIDTH] = {};
        for (int row = rows.first; row <= rows.last; row++) {
            long long begin = out.index({to.sample, to.channel, row, 0});
            for (int column = columns.first; column <= columns.last; column++) {
                long long from = begin + column * out.step();
                int chosen = index[from];
                float gradient = float(dy[from]);
                for (int k = 0; k < WIDTH; k++) {
                    sums[k] += chosen == own + k ? gradient : 0;
                }
            }
        }
        Group<VALUE, WIDTH> result;
        for (int k = 0; k < WIDTH; k++) {
            result.at[k] = VALUE(sums[k]);
        }
        store(dx, i, result);
    }
}

// As above, but a thread takes WIDTH neighbouring channels with the channels last.
template <int WIDTH>
__device__ void maxPoolGradientChannelsLast(
        VALUE* dx, const VALUE* dy, const int* index, long long n, Images out, Images in, int kernel, int stride) {
    for (long long i = thread() * WIDTH; i < n; i += threads() * WIDTH) {
        Place to = in.place(i);
        int own = to.row * in.columns + to.column;
        Windows rows = covering(to.row, to.row, kernel, stride, out.rows);
        Windows columns = covering(to.column, to.column, kernel, stride, out.columns);
        float sums[WIDTH] = {};
        for (int row = rows.first; row <= rows.last; row++) {
            for (int column = columns.first; column <= columns.last; column++) {
                long long from = out.index({to.sample, to.channel, row, column});
                Group<VALUE, WIDTH> gradient = load<WIDTH>(dy, from);
                Group<int, WIDTH> chosen = load<WIDTH>(index, from);
                for (int k = 0; k < WIDTH; k++) {
                    sums[k] += chosen.at[k] == own ? float(gradient.at[k]) : 0;
                }
            }
        }
        Group<VALUE, WIDTH> result;
        for (int k = 0; k < WIDTH; k++) {
            result.at[k] = VALUE(sums[k]);
        }
        store(dx, i, result);
    }
}

extern "C" __global__ void max_pool_backward(
        VALUE* dx, // (samples, channels, rows, columns) or channels last
        const VALUE* dy, // (samples, channels, outRows, outColumns) or channels last
        const int* index, // as dy; from max_pool_forward
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int kernel,
        int stride,
        int channelsLast) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    long long n = (long long) samples * channels * rows * columns;
    bool groups = (channelsLast ? channels : columns) % LANES == 0 && aligned<LANES>(dx);
    if (groups && !channelsLast) {
        maxPoolGradient<LANES>(dx, dy, index, n, out, in, kernel, stride);
    } else if (groups && aligned<LANES>(dy) && aligned<LANES>(index)) {
        maxPoolGradientChannelsLast<LANES>(dx, dy, index, n, out, in, kernel, stride);
    } else {
        maxPoolGradient<1>(dx, dy, index, n, out, in, kernel, stride);
    }
}
