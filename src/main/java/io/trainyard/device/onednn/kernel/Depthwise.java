package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Windows;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import org.jspecify.annotations.Nullable;

/// A depthwise convolution, and the gradient of its kernels. For small images, where oneDNN multiplies matrices of
/// one row each.
///
/// A vector holds adjacent channels of one pixel. Kernels have the layout of the images: in each block of channels
/// tap by tap, with contiguous channels. The padding of the last block is 0 and stays 0.
public final class Depthwise {
    private final ImageLayout in;
    private final ImageLayout out;
    private final Windows.Side rows;
    private final Windows.Side columns;
    private final long inPixel; // bytes between adjacent pixels; likewise below
    private final long inRow;
    private final long outPixel;
    private final long outRow;
    private final long tapBytes;

    public Depthwise(ImageLayout in, ImageLayout out, Windows windows) {
        Lanes.requireSame(in, out);
        this.in = in;
        this.out = out;
        rows = windows.rows();
        columns = windows.columns();
        inPixel = in.columnStride() * Float.BYTES;
        inRow = in.rowStride() * Float.BYTES;
        outPixel = out.columnStride() * Float.BYTES;
        outRow = out.rowStride() * Float.BYTES;
        tapBytes = (long) in.lanes() * Float.BYTES;
    }

    /// @param bias one for each channel, and 0 for each of the padding; null for none
    public void forward(MemorySegment x, MemorySegment kernels, @Nullable MemorySegment bias, MemorySegment y) {
        for (int sample = 0; sample < out.samples(); sample++) {
            for (int block = 0; block < out.blocks(); block++) {
                for (int lane = 0; lane < out.lanes(); lane += Lanes.COUNT) {
                    long from = (in.begin(sample, block) + lane) * Float.BYTES;
                    long to = (out.begin(sample, block) + lane) * Float.BYTES;
                    long kernel = kernel(block, lane);
                    long channel = (long) (block * out.lanes() + lane) * Float.BYTES;
                    for (int row = 0; row < out.rows(); row++) {
                        for (int column = 0; column < out.columns(); column++) {
                            long pixel = from + rows.begin(row) * inRow + columns.begin(column) * inPixel;
                            long at = to + row * outRow + column * outPixel;
                            windowVectors(x, pixel, kernels, kernel, row, column, bias, channel, y, at);
                        }
                    }
                }
            }
        }
    }

    /// The offset of the taps of some channels.
    private long kernel(int block, int lane) {
        return block * rows.taps() * columns.taps() * tapBytes + (long) lane * Float.BYTES;
    }

    /// The sum over one window.
    ///
    /// @param pixel offset of its first tap, which may be padding
    private void windowVectors(
            MemorySegment x,
            long pixel,
            MemorySegment kernels,
            long kernel,
            int row,
            int column,
            @Nullable MemorySegment bias,
            long channel,
            MemorySegment y,
            long at) {
        int endRow = rows.endTap(row, in.rows());
        int begin = columns.firstTap(column);
        int end = columns.endTap(column, in.columns());
        long tapStep = columns.dilation() * inPixel;
        FloatVector sum = bias == null ? FloatVector.zero(Lanes.SPECIES) : Lanes.load(bias, channel);
        for (int r = rows.firstTap(row); r < endRow; r++) {
            long from = pixel + r * rows.dilation() * inRow;
            long tap = kernel + (long) r * columns.taps() * tapBytes;
            for (int c = begin; c < end; c++) {
                sum = Lanes.load(x, from + c * tapStep).fma(Lanes.load(kernels, tap + c * tapBytes), sum);
            }
        }
        Lanes.store(sum, y, at);
    }

    public void kernelGradient(MemorySegment x, MemorySegment gradient, MemorySegment kernelGradient) {
        for (int block = 0; block < out.blocks(); block++) {
            for (int lane = 0; lane < out.lanes(); lane += Lanes.COUNT) {
                for (int r = 0; r < rows.taps(); r++) {
                    for (int c = 0; c < columns.taps(); c++) {
                        long at = kernel(block, lane) + (r * columns.taps() + c) * tapBytes;
                        tapVectors(x, gradient, block, lane, r, c, kernelGradient, at);
                    }
                }
            }
        }
    }

    /// Sums the input under one tap times the gradient, over all windows.
    private void tapVectors(
            MemorySegment x,
            MemorySegment gradient,
            int block,
            int lane,
            int r,
            int c,
            MemorySegment kernelGradient,
            long to) {
        int beginRow = rows.firstWindow(r);
        int endRow = rows.endWindow(r, in.rows(), out.rows());
        int begin = columns.firstWindow(c);
        int end = columns.endWindow(c, in.columns(), out.columns());
        long tap =
                (r * rows.dilation() - rows.before()) * inRow + (c * columns.dilation() - columns.before()) * inPixel;
        FloatVector sum = FloatVector.zero(Lanes.SPECIES);
        for (int sample = 0; sample < out.samples(); sample++) {
            long from = (in.begin(sample, block) + lane) * Float.BYTES + tap;
            long at = (out.begin(sample, block) + lane) * Float.BYTES;
            for (int row = beginRow; row < endRow; row++) {
                long pixels = from + row * rows.stride() * inRow;
                long gradients = at + row * outRow;
                for (int column = begin; column < end; column++) {
                    FloatVector value = Lanes.load(x, pixels + column * columns.stride() * inPixel);
                    sum = value.fma(Lanes.load(gradient, gradients + column * outPixel), sum);
                }
            }
        }
        Lanes.store(sum, kernelGradient, to);
    }

    public void biasGradient(MemorySegment gradient, MemorySegment biasGradient) {
        for (int block = 0; block < out.blocks(); block++) {
            for (int lane = 0; lane < out.lanes(); lane += Lanes.COUNT) {
                sumVectors(gradient, block, lane, biasGradient);
            }
        }
    }

    private void sumVectors(MemorySegment gradient, int block, int lane, MemorySegment sums) {
        FloatVector sum = FloatVector.zero(Lanes.SPECIES);
        for (int sample = 0; sample < out.samples(); sample++) {
            long at = (out.begin(sample, block) + lane) * Float.BYTES;
            for (int pixel = 0; pixel < out.area(); pixel++) {
                sum = sum.add(Lanes.load(gradient, at + pixel * outPixel));
            }
        }
        Lanes.store(sum, sums, (long) (block * out.lanes() + lane) * Float.BYTES);
    }
}
