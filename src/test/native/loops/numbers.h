// The kinds of numbers in device memory, and conversion from and to float, in which everything is computed.
#pragma once

#include <cstdint>
#include <cstring>

namespace trainyard {

enum class Number { FLOAT, BFLOAT16 };

inline size_t bytesOf(Number number) { return number == Number::FLOAT ? 4 : 2; }

inline float fromBfloat16(uint16_t bits) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

// To the nearest, of two to the even one; NaN stays NaN.
inline uint16_t toBfloat16(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return static_cast<uint16_t>(value == value ? rounded : bits >> 16 | 0x40);
}

// A float as TF32 takes it: 10 bits of its mantissa.
inline float toTf32(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x1000) & ~0x1fffu;
    float rounded;
    std::memcpy(&rounded, &bits, sizeof rounded);
    return value == value ? rounded : value;
}

inline float loadNumber(const void* from, Number number, size_t at) {
    return number == Number::FLOAT ? static_cast<const float*>(from)[at]
                                   : fromBfloat16(static_cast<const uint16_t*>(from)[at]);
}

inline void storeNumber(void* to, Number number, size_t at, float value) {
    if (number == Number::FLOAT) {
        static_cast<float*>(to)[at] = value;
    } else {
        static_cast<uint16_t*>(to)[at] = toBfloat16(value);
    }
}

// result = alpha * value + beta * result. With beta 0 the old result is not read: it may be NaN.
inline void blend(void* result, Number number, size_t at, float value, float alpha, float beta) {
    float blended = alpha * value;
    if (beta != 0) blended += beta * loadNumber(result, number, at);
    storeNumber(result, number, at, blended);
}

}  // namespace trainyard
