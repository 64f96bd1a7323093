package io.trainyard.device.check;

import static io.trainyard.device.check.LayerCase.covering;
import static io.trainyard.device.check.LayerCase.exactly;
import static io.trainyard.device.check.LayerCase.row;
import static io.trainyard.device.check.Layers.adaptive;
import static io.trainyard.device.check.Layers.avgPool;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.same;
import static io.trainyard.device.check.Layers.side;
import static io.trainyard.device.check.Layers.sides;
import static io.trainyard.device.check.Layers.upsample;
import static io.trainyard.device.check.Layers.upsampleTo;

import io.trainyard.spec.Padding;
import io.trainyard.spec.Shape;
import java.util.List;

final class WindowCases {
    private WindowCases() {}

    static List<LayerCase> convolutions() {
        return List.of(
                row("conv2d 3x3", conv(5, 3, 1, 0, true)),
                row("conv2d 1x1", conv(3, 1, 1, 0, true)),
                row("conv2d without bias", conv(4, 3, 1, 0, false)),
                row("conv2d 5x5 padding 2", conv(6, 5, 1, 2, true)),
                row("conv2d padding as wide as the kernel", conv(3, 2, 1, 2, true)),
                row("conv2d stride 2", conv(4, 3, 2, 0, true)),
                row("conv2d stride 3 padding 1 without bias", conv(4, 2, 3, 1, false)),
                row("conv2d 33 channels", conv(33, 3, 1, 1, true)),
                row("conv2d of 64 channels", conv(64, 3, 1, 1, true), relu(), conv(64, 3, 2, 1, true)),
                row("conv2d after conv2d", conv(17, 3, 1, 1, true), conv(6, 3, 1, 0, true)),
                row("conv2d dilation 2", conv(5, 3, 1, 0, 2, 1, true)),
                row("conv2d dilation 3 stride 2 padding 3", conv(17, 3, 2, 3, 3, 1, false), relu()),
                row("conv2d dilation 2 of a kernel 2", conv(4, 2, 1, 0, 2, 1, true)),
                row("conv2d in 2 groups", conv(6, 3, 1, 1, true), conv(4, 3, 1, 1, 1, 2, true)),
                row("conv2d in 2 groups of 17", conv(34, 1, 1, 0, true), conv(34, 3, 1, 0, 1, 2, false), relu()),
                row("conv2d in 2 groups of 16", conv(32, 1, 1, 0, true), conv(32, 3, 2, 1, 1, 2, true), pool(2, 2)),
                row("conv2d of each channel by itself", conv(8, 3, 1, 1, true), conv(8, 3, 1, 1, 1, 8, true), relu()),
                row("conv2d of each channel, twice as many", conv(3, 3, 1, 1, true), conv(6, 3, 1, 1, 1, 3, false)),
                row("conv2d in 3 groups dilation 2", conv(6, 1, 1, 0, true), conv(9, 3, 1, 2, 2, 3, true)),
                row("conv2d of rows", conv(5, sides(1, 5), side(1), Padding.of(0), side(1), 1), relu()),
                row(
                        "conv2d with sides of its own",
                        conv(5, sides(3, 2), sides(2, 1), padding(2, 0), sides(1, 2), 1),
                        conv(17, sides(2, 1), sides(1, 2), padding(0, 1), side(1), 1)),
                row(
                        "conv2d in groups with sides of its own",
                        conv(6, 1, 1, 0, true),
                        conv(9, sides(1, 3), sides(1, 2), padding(0, 2), sides(1, 2), 3)),
                row("conv2d of the same size", same(6, side(3), side(1)), relu(), same(5, sides(5, 1), sides(2, 1))),
                row("conv2d of the same size, padded unevenly", same(6, side(4), side(1)), same(17, side(2), side(3))),
                row(
                        "conv2d of the same size, padded unevenly below",
                        conv(3, 3, 1, 1, true),
                        same(9, sides(2, 3), side(1))),
                exactly(
                        "conv2d in groups, first",
                        Shape.of(4, 6, 7),
                        3,
                        conv(6, 3, 2, 1, 1, 2, true),
                        flatten(),
                        linear(3, true)),
                exactly("conv2d as wide as the image, last", Shape.of(3, 4, 4), 5, conv(5, 4, 1, 0, true), flatten()));
    }

    static List<LayerCase> pools() {
        return List.of(
                row("maxPool2d 2", conv(4, 3, 1, 1, true), pool(2, 2)),
                row("maxPool2d overlapping", conv(4, 3, 1, 1, true), pool(3, 2)),
                row("maxPool2d overlapping by one step", conv(3, 1, 1, 0, true), pool(2, 1)),
                row("maxPool2d with gaps", conv(4, 3, 1, 1, true), pool(2, 3)),
                row("maxPool2d of the pixels", pool(2, 2)),
                row("maxPool2d with padding", conv(9, 3, 1, 1, true), pool(3, 2, 1, 1, false)),
                row("maxPool2d with padding, of the pixels", pool(2, 1, 1, 1, false)),
                row("maxPool2d of pairs with padding", conv(4, 3, 1, 1, true), relu(), pool(2, 2, 1, 1, false), relu()),
                row("maxPool2d with dilation", conv(5, 3, 1, 1, true), pool(3, 1, 0, 2, false)),
                row("maxPool2d with padding and dilation", conv(5, 3, 1, 1, true), pool(3, 1, 1, 2, false)),
                row("maxPool2d of pairs with dilation", conv(5, 3, 1, 1, true), pool(2, 2, 0, 3, false)),
                covering("maxPool2d of what is left", Shape.of(2, 8, 7), pool(3, 2, 0, 1, true)),
                covering("maxPool2d of pairs of what is left", Shape.of(2, 7, 8), pool(2, 2, 0, 1, true)),
                covering("maxPool2d larger than the image", Shape.of(2, 2, 2), pool(3, 2, 0, 1, true)),
                covering("maxPool2d that would begin behind the image", Shape.of(2, 5, 6), pool(2, 3, 1, 1, true)),
                row(
                        "maxPool2d with sides of its own",
                        conv(17, 3, 1, 1, true),
                        pool(sides(3, 2), sides(1, 2), sides(1, 0), sides(1, 2), false),
                        pool(sides(1, 3), sides(2, 2), sides(0, 1), side(1), true)),
                row(
                        "maxPool2d of rows",
                        conv(5, 3, 1, 1, true),
                        pool(sides(1, 2), sides(1, 2), side(0), side(1), false)),
                row("maxPool2d, then relu", conv(5, 3, 1, 1, true), pool(2, 2), relu()),
                row("avgPool2d 2", conv(4, 3, 1, 1, true), avgPool(2, 2)),
                row("avgPool2d overlapping", conv(4, 3, 1, 1, true), avgPool(3, 2)),
                row("avgPool2d with gaps", conv(17, 3, 1, 1, true), avgPool(2, 3)),
                row("avgPool2d of the pixels", avgPool(2, 2)),
                row("avgPool2d, then relu", conv(4, 3, 1, 1, true), avgPool(2, 1), relu()),
                row("avgPool2d with padding", conv(9, 3, 1, 1, true), avgPool(3, 2, 1, false, true)),
                row("avgPool2d without its padding", conv(9, 3, 1, 1, true), avgPool(3, 2, 1, false, false)),
                row("avgPool2d with padding, of the pixels", avgPool(2, 1, 1, false, true)),
                covering("avgPool2d of what is left", Shape.of(2, 8, 7), avgPool(3, 2, 0, true, false)),
                covering("avgPool2d of what is left with padding", Shape.of(2, 8, 6), avgPool(3, 2, 1, true, true)),
                covering("avgPool2d of what is left without it", Shape.of(2, 8, 6), avgPool(3, 2, 1, true, false)),
                covering("avgPool2d larger than the image", Shape.of(2, 2, 2), avgPool(3, 2, 0, true, true)),
                row(
                        "avgPool2d with sides of its own",
                        conv(17, 3, 1, 1, true),
                        avgPool(sides(3, 2), sides(1, 2), sides(1, 0), false, true),
                        avgPool(sides(1, 3), sides(2, 2), sides(0, 1), true, false)),
                row("adaptiveAvgPool2d to one value", conv(9, 3, 1, 1, true), adaptive(1)),
                covering("adaptiveAvgPool2d of equal windows", Shape.of(2, 6, 9), adaptive(3)),
                covering("adaptiveAvgPool2d of uneven windows", Shape.of(2, 7, 8), adaptive(3)),
                covering("adaptiveAvgPool2d of rows that divide evenly", Shape.of(2, 8, 7), adaptive(4)),
                covering("adaptiveAvgPool2d to more than there is", Shape.of(1, 5, 4), adaptive(7)),
                covering("adaptiveAvgPool2d to as much as there is", Shape.of(1, 5, 5), adaptive(5)),
                row("adaptiveAvgPool2d of the pixels", adaptive(4)),
                covering("adaptiveAvgPool2d with sides of its own", Shape.of(2, 6, 8), adaptive(3, 2)),
                covering("adaptiveAvgPool2d uneven with sides of its own", Shape.of(2, 6, 7), adaptive(2, 5)),
                row("upsample", conv(5, 3, 2, 1, true), upsample(2, 2), conv(4, 3, 1, 1, true)),
                row("upsample of 17 channels", conv(17, 3, 2, 1, true), upsample(3, 2), relu()),
                row("upsample by a fraction", conv(5, 3, 1, 1, true), relu(), upsample(1.7, 1.3)),
                row("upsample to less", conv(5, 3, 1, 1, true), upsample(0.6, 0.5)),
                row("upsample to a size", conv(5, 3, 1, 1, true), upsampleTo(11, 4), upsampleTo(5, 13)),
                row("upsample of the pixels", upsample(1.5, 2)));
    }

    private static Padding padding(int rows, int columns) {
        return new Padding(sides(rows, columns));
    }
}
