// y = x * scale where the mask keeps, else 0; forwards and, with the same mask, backwards. y may be x.
extern "C" __global__ void dropout(
        VALUE* y, // (samples, channels, area), or with channelsLast (samples, area, channels)
        const VALUE* x, // as y
        const unsigned char* masks, // (window, stepStride): all masks of `window` steps
        const int* step,
        int window,
        long long stepStride,
        long long offset, // where this layer's mask begins, (batchSize, channels, area) or (batchSize, channels)
        int first, // the first of the batch's samples that is in x
        int samples,
        int channels,
        int area,
        int perChannel, // whether the mask has one value for all of a channel
        float scale,
        int channelsLast) {
    const unsigned char* mask = masks + *step % window * stepStride + offset
            + (long long) first * channels * (perChannel ? 1 : area);
    map(y, x, (long long) samples * channels * area, [=](float x, long long i) {
        long long at = i; // in (samples, channels, area)
        if (channelsLast) {
            long long pixel = quotient(i, channels);
            int channel = i - pixel * channels;
            long long n = quotient(pixel, area);
            at = (n * channels + channel) * area + (pixel - n * area);
        }
        return x * (mask[perChannel ? quotient(at, area) : at] ? scale : 0.0f);
    });
}
