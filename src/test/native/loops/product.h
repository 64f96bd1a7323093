// c (rows, columns) += a (rows, depth) b (depth, columns), in float.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace trainyard {

// A matrix in memory: element (i, j) is at i * rowStride + j * columnStride.
struct Matrix {
    const float* values;
    size_t rowStride, columnStride;
};

namespace product {

constexpr size_t WIDTH = 16;   // columns that are computed together
constexpr size_t HEIGHT = 6;   // rows
constexpr size_t DEPTH = 512;  // of a packed piece of b: 32 KiB

typedef float Lanes __attribute__((vector_size(WIDTH * sizeof(float))));

// HEIGHT or fewer rows of c by WIDTH columns.
template <size_t ROWS>
void tile(Matrix a, size_t row, size_t begin, size_t depth, const float* packed, float* c, size_t cStride,
          size_t columns) {
    Lanes sums[ROWS] = {};
    for (size_t k = 0; k < depth; k++) {
        Lanes b;
        std::memcpy(&b, packed + k * WIDTH, sizeof b);
        for (size_t i = 0; i < ROWS; i++) {
            sums[i] += a.values[(row + i) * a.rowStride + (begin + k) * a.columnStride] * b;
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < columns; j++) c[(row + i) * cStride + j] += sums[i][j];
    }
}

inline void pack(Matrix b, size_t begin, size_t depth, size_t column, size_t columns, float* packed) {
    for (size_t k = 0; k < depth; k++) {
        const float* from = b.values + (begin + k) * b.rowStride + column * b.columnStride;
        float* to = packed + k * WIDTH;
        for (size_t j = 0; j < columns; j++) to[j] = from[j * b.columnStride];
        for (size_t j = columns; j < WIDTH; j++) to[j] = 0;
    }
}

}  // namespace product

// c is contiguous except for cStride, the distance of two rows.
inline void addProduct(size_t rows, size_t columns, size_t depth, Matrix a, Matrix b, float* c, size_t cStride) {
    using namespace product;
    float packed[DEPTH * WIDTH];
    for (size_t begin = 0; begin < depth; begin += DEPTH) {
        size_t length = std::min(DEPTH, depth - begin);
        for (size_t column = 0; column < columns; column += WIDTH) {
            size_t width = std::min(WIDTH, columns - column);
            pack(b, begin, length, column, width, packed);
            size_t row = 0;
            for (; row + HEIGHT <= rows; row += HEIGHT) {
                tile<HEIGHT>(a, row, begin, length, packed, c + column, cStride, width);
            }
            for (; row < rows; row++) tile<1>(a, row, begin, length, packed, c + column, cStride, width);
        }
    }
}

}  // namespace trainyard
