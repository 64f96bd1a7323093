// Average pooling whose windows reach beyond the padding or have different sizes, which cuDNN does not support. A
// thread computes one value at a time.

// One window of an average along a side: its pixels, and how many values it is the mean of.
struct Span {
    int from, to, counted;
};

// The windows of average pooling along a side of `size` pixels with `padding` before and behind.
struct SlidingSpans {
    int taps, stride, padding, size, count;
    bool countPadding;

    __device__ Span at(int window) const {
        int begin = window * stride - padding;
        int end = min(begin + taps, size + padding);
        int from = max(begin, 0);
        int to = min(end, size);
        return {from, to, countPadding ? end - begin : to - from};
    }

    __device__ Windows over(int pixel) const {
        return covering(pixel + padding, pixel + padding, taps, stride, count);
    }
};

// `count` windows that cover a side of `size` pixels: window i reaches from floor(i size / count) to
// ceil((i + 1) size / count), not included.
struct CoveringSpans {
    int size, count;

    __device__ Span at(int window) const {
        int from = window * size / count;
        int to = ((window + 1) * size + count - 1) / count;
        return {from, to, to - from};
    }

    // The windows a pixel is in are found as the pixels of a window are, the other way round.
    __device__ Windows over(int pixel) const {
        Span windows = CoveringSpans{count, size}.at(pixel);
        return {windows.from, windows.to - 1};
    }
};

// y = the mean x of each window.
template <class Spans>
__device__ void averages(VALUE* y, const VALUE* x, int samples, Images out, Images in, Spans down, Spans along) {
    eachValue(out, samples, [=](long long i, Place to) {
        Span height = down.at(to.row);
        Span width = along.at(to.column);
        float sum = 0;
        for (int row = height.from; row < height.to; row++) {
            for (int column = width.from; column < width.to; column++) {
                sum += float(x[in.index({to.sample, to.channel, row, column})]);
            }
        }
        y[i] = VALUE(sum / (height.counted * width.counted));
    });
}

// Each x of a window gets an equal share of its gradient.
template <class Spans>
__device__ void averageGradients(
        VALUE* dx, const VALUE* dy, int samples, Images out, Images in, Spans down, Spans along) {
    eachValue(in, samples, [=](long long i, Place to) {
        Windows rows = down.over(to.row);
        Windows columns = along.over(to.column);
        float sum = 0;
        for (int row = rows.first; row <= rows.last; row++) {
            int height = down.at(row).counted;
            for (int column = columns.first; column <= columns.last; column++) {
                int width = along.at(column).counted;
                sum += float(dy[out.index({to.sample, to.channel, row, column})]) / (height * width);
            }
        }
        dx[i] = VALUE(sum);
    });
}

// Windows of one size; some reach beyond the padding.
extern "C" __global__ void avg_pool_windows_forward(
        VALUE* y, // (samples, channels, outRows, outColumns) or channels last
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
        int rowPadding,
        int columnTaps,
        int columnStride,
        int columnPadding,
        int countPadding) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    SlidingSpans down = {rowTaps, rowStride, rowPadding, rows, outRows, countPadding != 0};
    SlidingSpans along = {columnTaps, columnStride, columnPadding, columns, outColumns, countPadding != 0};
    averages(y, x, samples, out, in, down, along);
}

extern "C" __global__ void avg_pool_windows_backward(
        VALUE* dx, // (samples, channels, rows, columns) or channels last
        const VALUE* dy, // (samples, channels, outRows, outColumns) or channels last
        int samples,
        int channels,
        int rows,
        int columns,
        int outRows,
        int outColumns,
        int channelsLast,
        int rowTaps,
        int rowStride,
        int rowPadding,
        int columnTaps,
        int columnStride,
        int columnPadding,
        int countPadding) {
    Images in = {channels, rows, columns, channelsLast != 0};
    Images out = {channels, outRows, outColumns, channelsLast != 0};
    SlidingSpans down = {rowTaps, rowStride, rowPadding, rows, outRows, countPadding != 0};
    SlidingSpans along = {columnTaps, columnStride, columnPadding, columns, outColumns, countPadding != 0};
    averageGradients(dx, dy, samples, out, in, down, along);
}

// Windows that together cover an image of any size.
extern "C" __global__ void adaptive_avg_pool_forward(
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
    CoveringSpans down = {rows, outRows};
    CoveringSpans along = {columns, outColumns};
    averages(y, x, samples, out, in, down, along);
}

extern "C" __global__ void adaptive_avg_pool_backward(
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
    CoveringSpans down = {rows, outRows};
    CoveringSpans along = {columns, outColumns};
    averageGradients(dx, dy, samples, out, in, down, along);
}
