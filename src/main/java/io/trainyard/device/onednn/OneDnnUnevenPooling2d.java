package io.trainyard.device.onednn;

import io.trainyard.spec.Network;
import io.trainyard.spec.Windows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Means over windows of different sizes, in Java, because oneDNN only supports equal ones.
final class OneDnnUnevenPooling2d implements OneDnnLayer {
    private final Memory output; // row-major
    private final Layout inputLayout; // row-major
    private final long images; // samples x channels
    private final int inRows;
    private final int inColumns;
    private final Span[] rows; // one for each row of the output
    private final Span[] columns; // one for each column of the output

    /// A range of rows or columns, with an exclusive end.
    ///
    /// @param counted rows or columns in the divisor of the mean, which may include padding
    record Span(int from, int to, int counted) {
        /// Windows that cover a side of any size.
        static Span[] covering(int size, int count) {
            Span[] spans = new Span[count];
            for (int i = 0; i < count; i++) {
                int from = i * size / count;
                int to = Math.ceilDiv((i + 1) * size, count);
                spans[i] = new Span(from, to, to - from);
            }
            return spans;
        }

        /// Windows with padding in the divisor.
        ///
        /// @param dimension of the layer's images along which the windows lie
        static Span[] sliding(Windows.Side side, Network.Layer layer, int dimension) {
            int size = layer.in().size(dimension);
            Span[] spans = new Span[layer.out().size(dimension)];
            for (int i = 0; i < spans.length; i++) {
                int begin = side.begin(i);
                int end = Math.min(begin + side.taps(), size + side.after());
                spans[i] = new Span(Math.max(begin, 0), Math.min(end, size), end - begin);
            }
            return spans;
        }
    }

    OneDnnUnevenPooling2d(ProgramBuilder program, Network.Layer layer, Span[] rows, Span[] columns, Memory input) {
        Engine engine = program.engine();
        images = input.layout().sizes()[0] * layer.in().size(0);
        inRows = layer.in().size(1);
        inColumns = layer.in().size(2);
        this.rows = rows;
        this.columns = columns;
        inputLayout = engine.plain(input.layout().sizes());
        output = engine.memory(engine.plain(OneDnnLayer.outputSizes(input, layer)));
        MemorySegment from = program.in(inputLayout, input).data();
        MemorySegment to = output.data();
        program.add(() -> forEachWindow(
                (window, out) -> to.setAtIndex(ValueLayout.JAVA_FLOAT, out, window.sum(from) / window.counted())));
    }

    /// A rectangle of one channel of one sample.
    ///
    /// @param corner the index of its first element
    /// @param counted number of values in the divisor of the mean
    private record Window(long corner, int rows, int columns, int rowLength, int counted) {
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
            for (Span row : rows) {
                for (Span column : columns) {
                    long corner = (image * inRows + row.from()) * inColumns + column.from();
                    Window window = new Window(
                            corner,
                            row.to() - row.from(),
                            column.to() - column.from(),
                            inColumns,
                            row.counted() * column.counted());
                    visitor.visit(window, out++);
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
                    (window, out) -> window.add(from.getAtIndex(ValueLayout.JAVA_FLOAT, out) / window.counted(), to));
        });
        return gradient;
    }
}
