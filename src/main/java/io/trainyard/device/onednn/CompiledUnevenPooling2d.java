package io.trainyard.device.onednn;

import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Means over the windows of [AdaptiveAvgPool2d] where they differ in size, in Java: oneDNN has only equal ones.
final class CompiledUnevenPooling2d implements CompiledLayer {
    private final Memory output; // row-major
    private final Layout inputLayout; // row-major
    private final long images; // samples x channels
    private final int inRows;
    private final int inColumns;
    private final int outRows;
    private final int outColumns;

    CompiledUnevenPooling2d(ProgramBuilder program, Network.Layer layer, Memory input) {
        Engine engine = program.engine();
        images = input.layout().sizes()[0] * layer.in().size(0);
        inRows = layer.in().size(1);
        inColumns = layer.in().size(2);
        outRows = layer.out().size(1);
        outColumns = layer.out().size(2);
        inputLayout = engine.plain(input.layout().sizes());
        output = engine.memory(engine.plain(CompiledLayer.outputSizes(input, layer)));
        MemorySegment from = program.in(inputLayout, input).data();
        MemorySegment to = output.data();
        program.add(() -> forEachWindow(
                (window, out) -> to.setAtIndex(ValueLayout.JAVA_FLOAT, out, window.sum(from) / window.pixels())));
    }

    /// A rectangle of one channel of one sample.
    ///
    /// @param corner the index of its first element
    private record Window(long corner, int rows, int columns, int rowLength) {
        int pixels() {
            return rows * columns;
        }

        float sum(MemorySegment values) {
            float sum = 0;
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < columns; c++) {
                    sum += values.getAtIndex(ValueLayout.JAVA_FLOAT, corner + (long) r * rowLength + c);
                }
            }
            return sum;
        }

        void add(float share, MemorySegment values) {
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < columns; c++) {
                    long at = corner + (long) r * rowLength + c;
                    values.setAtIndex(
                            ValueLayout.JAVA_FLOAT, at, values.getAtIndex(ValueLayout.JAVA_FLOAT, at) + share);
                }
            }
        }
    }

    private interface Visitor {
        /// @param out the index of the output
        void visit(Window window, long out);
    }

    private void forEachWindow(Visitor visitor) {
        long out = 0;
        for (long image = 0; image < images; image++) {
            for (int r = 0; r < outRows; r++) {
                int row = r * inRows / outRows;
                int rows = Math.ceilDiv((r + 1) * inRows, outRows) - row;
                for (int c = 0; c < outColumns; c++) {
                    int column = c * inColumns / outColumns;
                    int columns = Math.ceilDiv((c + 1) * inColumns, outColumns) - column;
                    long corner = (image * inRows + row) * inColumns + column;
                    visitor.visit(new Window(corner, rows, columns, inColumns), out++);
                }
            }
        }
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.engine().memory(inputLayout);
        MemorySegment from = program.in(output.layout(), outputGradient).data();
        MemorySegment to = gradient.data();
        program.add(() -> {
            to.fill((byte) 0);
            forEachWindow(
                    (window, out) -> window.add(from.getAtIndex(ValueLayout.JAVA_FLOAT, out) / window.pixels(), to));
        });
        return gradient;
    }
}
