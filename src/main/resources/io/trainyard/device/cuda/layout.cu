// Changes the order of dimensions, and the type of values.

const int TILE = 32;

// y[n][j][i] = x[n][i][j]. A block takes a tile of x to shared memory, so that it reads and writes neighbours.
template <class To, class From>
__device__ void transpose(
        To* y, // (count, columns, rows)
        const From* x, // (count, rows, columns)
        int count,
        int rows,
        int columns) {
    __shared__ float tile[TILE][TILE + 1]; // one more, so that a column's values are in different banks
    int height = min(TILE, rows);
    int width = min(TILE, columns);
    int across = (columns + width - 1) / width;
    int tiles = (rows + height - 1) / height * across; // of one matrix
    for (long long t = blockIdx.x; t < (long long) count * tiles; t += gridDim.x) {
        long long n = quotient(t, tiles);
        int rest = t - n * tiles;
        int top = rest / across * height;
        int left = rest % across * width;
        long long matrix = n * rows * columns;
        for (int e = threadIdx.x; e < height * width; e += blockDim.x) {
            int i = e / width;
            int j = e - i * width;
            if (top + i < rows && left + j < columns) {
                tile[i][j] = float(x[matrix + (long long) (top + i) * columns + left + j]);
            }
        }
        __syncthreads();
        for (int e = threadIdx.x; e < height * width; e += blockDim.x) {
            int j = e / height;
            int i = e - j * height;
            if (top + i < rows && left + j < columns) {
                y[matrix + (long long) (left + j) * rows + top + i] = To(tile[i][j]);
            }
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
