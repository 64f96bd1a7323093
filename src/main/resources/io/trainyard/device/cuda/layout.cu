// Changes the order of dimensions, and the type of values.

const int TILE = 32;
const int TILE_VALUES = 2400;

// y[n][j][i] = x[n][i][j]. A block takes a tile of x to shared memory, so that it reads and writes neighbours. If one side
// of x is short, as in filters, the tile is longer on the other.
template <class To, class From>
__device__ void transpose(
        To* __restrict__ y, // (count, columns, rows)
        const From* __restrict__ x, // (count, rows, columns)
        int count,
        int rows,
        int columns) {
    __shared__ float tile[TILE_VALUES];
    int height = min(TILE, rows);
    int width = min(TILE, columns);
    if (width < TILE) {
        height = min(TILE_VALUES / (width | 1) / TILE * TILE, rows);
    } else if (height < TILE) {
        width = min((TILE_VALUES / height - 1) / TILE * TILE, columns);
    }
    int stride = width | 1; // odd, so that a column's values are in different banks
    int across = (columns + width - 1) / width;
    int tiles = (rows + height - 1) / height * across; // of one matrix
    for (long long t = blockIdx.x; t < (long long) count * tiles; t += gridDim.x) {
        long long n = quotient(t, tiles);
        int rest = t - n * tiles;
        int top = rest / across * height;
        int left = rest % across * width;
        int high = min(height, rows - top);
        int wide = min(width, columns - left);
        const From* from = x + (n * rows + top) * columns + left;
        To* to = y + (n * columns + left) * rows + top;
#pragma unroll 8
        for (int e = threadIdx.x; e < high * wide; e += BLOCK) {
            int i = e / wide;
            int j = e - i * wide;
            tile[i * stride + j] = float(from[(long long) i * columns + j]);
        }
        __syncthreads();
#pragma unroll 4
        for (int e = threadIdx.x; e < high * wide; e += BLOCK) {
            int j = e / high;
            int i = e - j * high;
            to[(long long) j * rows + i] = To(tile[i * stride + j]);
        }
        __syncthreads();
    }
}

extern "C" __global__ void to_channels_first(
        VALUE* y, // (samples, channels, area)
        const VALUE* x, // (samples, area, channels)
        int samples,
        int channels,
        int area) {
    transpose(y, x, samples, area, channels);
}

extern "C" __global__ void to_channels_last(
        VALUE* y, // (samples, area, channels)
        const VALUE* x, // (samples, channels, area)
        int samples,
        int channels,
        int area) {
    transpose(y, x, samples, channels, area);
}

// Of k filters, for images with their channels last.
extern "C" __global__ void pack_filter(
        VALUE* y, // (k, area, c)
        const float* x, // (k, c, area)
        int k,
        int c,
        int area) {
    transpose(y, x, k, c, area);
}

extern "C" __global__ void unpack_filter(
        float* y, // (k, c, area)
        const VALUE* x, // (k, area, c)
        int k,
        int c,
        int area) {
    transpose(y, x, k, area, c);
}

#ifdef TRAINYARD_BF16
extern "C" __global__ void pack_values(
        VALUE* y, // (n)
        const float* x, // (n)
        long long n) {
    for (long long i = thread() * LANES; i < n; i += threads() * LANES) {
        Group<float, LANES> from = load<LANES>(x, i, n);
        Group<VALUE, LANES> to;
        for (int k = 0; k < LANES; k++) {
            to.at[k] = VALUE(from.at[k]);
        }
        store(y, i, n, to);
    }
}
#endif

// Columns of a matrix, copied to other columns of a matrix with as many rows.
extern "C" __global__ void copy_columns(
        VALUE* to, // (rows, toWidth)
        int toWidth,
        int toFirst,
        const VALUE* from, // (rows, fromWidth)
        int fromWidth,
        int fromFirst,
        int columns,
        long long n) { // rows * columns
    for (long long i = thread(); i < n; i += threads()) {
        long long row = quotient(i, columns);
        int column = i - row * columns;
        to[row * toWidth + toFirst + column] = from[row * fromWidth + fromFirst + column];
    }
}
