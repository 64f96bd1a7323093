package io.trainyard.device.check;

import static io.trainyard.device.check.Layers.adaptive;
import static io.trainyard.device.check.Layers.avgPool;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.dropout;
import static io.trainyard.device.check.Layers.dropout2d;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.gelu;
import static io.trainyard.device.check.Layers.groupNorm;
import static io.trainyard.device.check.Layers.hardswish;
import static io.trainyard.device.check.Layers.hardtanh;
import static io.trainyard.device.check.Layers.identity;
import static io.trainyard.device.check.Layers.layerNorm;
import static io.trainyard.device.check.Layers.layerNorm2d;
import static io.trainyard.device.check.Layers.layerScale;
import static io.trainyard.device.check.Layers.leakyRelu;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.norm;
import static io.trainyard.device.check.Layers.norm1d;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.relu6;
import static io.trainyard.device.check.Layers.residual;
import static io.trainyard.device.check.Layers.same;
import static io.trainyard.device.check.Layers.side;
import static io.trainyard.device.check.Layers.sides;
import static io.trainyard.device.check.Layers.sigmoid;
import static io.trainyard.device.check.Layers.silu;
import static io.trainyard.device.check.Layers.softplus;
import static io.trainyard.device.check.Layers.tanh;
import static io.trainyard.device.check.Layers.upsample;
import static io.trainyard.device.check.Layers.upsampleTo;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.Padding;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// The contract's table.
public final class LayerCases {
    private LayerCases() {}

    /// A new layer, or a new option of one, gets a row here.
    public static List<LayerCase> all() {
        return List.of(
                row("conv2d 3x3", conv(5, 3, 1, 0, true)),
                row("conv2d 1x1", conv(3, 1, 1, 0, true)),
                row("conv2d without bias", conv(4, 3, 1, 0, false)),
                row("conv2d 5x5 padding 2", conv(6, 5, 1, 2, true)),
                row("conv2d padding as wide as the kernel", conv(3, 2, 1, 2, true)),
                row("conv2d stride 2", conv(4, 3, 2, 0, true)),
                row("conv2d stride 3 padding 1 without bias", conv(4, 2, 3, 1, false)),
                row("conv2d 33 channels", conv(33, 3, 1, 1, true)),
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
                exactly("conv2d as wide as the image, last", Shape.of(3, 4, 4), 5, conv(5, 4, 1, 0, true), flatten()),
                row("maxPool2d 2", conv(4, 3, 1, 1, true), pool(2, 2)),
                row("maxPool2d overlapping", conv(4, 3, 1, 1, true), pool(3, 2)),
                row("maxPool2d overlapping by one step", conv(3, 1, 1, 0, true), pool(2, 1)),
                row("maxPool2d with gaps", conv(4, 3, 1, 1, true), pool(2, 3)),
                row("maxPool2d of the pixels", pool(2, 2)),
                row("maxPool2d with padding", conv(9, 3, 1, 1, true), pool(3, 2, 1, 1, false)),
                row("maxPool2d with padding, of the pixels", pool(2, 1, 1, 1, false)),
                row("maxPool2d of pairs with padding", conv(4, 3, 1, 1, true), relu(), pool(2, 2, 1, 1, false), relu()),
                row("maxPool2d with dilation", conv(5, 3, 1, 1, true), pool(3, 1, 0, 2, false)),
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
                row("relu after conv2d", conv(5, 3, 1, 1, true), relu()),
                row("relu of the pixels", relu()),
                row("relu, then maxPool2d", conv(5, 3, 1, 1, true), relu(), pool(2, 2)),
                row("relu, then maxPool2d overlapping", conv(5, 3, 1, 1, true), relu(), pool(3, 1)),
                row("maxPool2d, then relu", conv(5, 3, 1, 1, true), pool(2, 2), relu()),
                row("relu twice", conv(5, 3, 1, 1, true), relu(), relu()),
                row("relu after linear", flatten(), linear(9, true), relu(), linear(7, true), relu()),
                exactly("relu last", Shape.of(2, 5, 5), 4, flatten(), linear(4, true), relu()),
                row("batchNorm2d of the pixels", norm()),
                row("batchNorm2d after conv2d", conv(5, 3, 1, 0, false), norm()),
                row("batchNorm2d, then relu, then maxPool2d", conv(5, 3, 1, 1, true), norm(), relu(), pool(2, 2)),
                row("batchNorm2d twice", conv(4, 3, 1, 1, true), norm(), conv(3, 3, 1, 1, true), norm()),
                row("batchNorm2d with options", conv(5, 3, 1, 1, true), norm(0.1, 0.75, true), relu(), pool(2, 2)),
                row(
                        "batchNorm2d, not affine",
                        norm(1e-3, 0.1, false),
                        conv(17, 3, 1, 1, true),
                        norm(1e-5, 0, false),
                        relu()),
                row(
                        "residual with batchNorm2d, not affine",
                        conv(5, 3, 1, 1, true),
                        residual(conv(5, 1, 1, 0, true), norm(1e-5, 1, false)),
                        relu()),
                row(
                        "batchNorm1d",
                        flatten(),
                        linear(9, true),
                        norm1d(0.1, 0.1, true),
                        linear(17, false),
                        norm1d(0.2, 0.3, true),
                        relu()),
                row(
                        "batchNorm1d, not affine",
                        flatten(),
                        linear(9, true),
                        norm1d(1e-3, 0.1, false),
                        relu(),
                        linear(8, true),
                        norm1d(0.1, 0.5, false)),
                row("batchNorm1d of the pixels", flatten(), norm1d(0.01, 0.1, true)),
                row(
                        "batchNorm1d of a flattened image",
                        conv(17, 3, 2, 1, true),
                        relu(),
                        flatten(),
                        norm1d(0.01, 0.1, true),
                        relu()),
                row(
                        "residual with batchNorm1d",
                        flatten(),
                        linear(9, true),
                        residual(linear(9, true), norm1d(0.1, 0.1, true)),
                        relu()),
                row(
                        "residual with batchNorm1d of a flattened image",
                        conv(5, 3, 2, 1, true),
                        flatten(),
                        residual(norm1d(0.1, 0.1, true)),
                        relu()),
                row("groupNorm", conv(6, 3, 1, 1, true), groupNorm(2, 1e-3, true), relu(), pool(2, 2)),
                row("groupNorm of one group, not affine", conv(17, 3, 1, 1, true), groupNorm(1, 0.1, false), relu()),
                row(
                        "groupNorm of each channel",
                        conv(17, 3, 1, 1, true),
                        groupNorm(17, 0.01, true),
                        conv(3, 1, 1, 0, true)),
                row("groupNorm of vectors", flatten(), linear(12, true), groupNorm(3, 0.1, true), relu()),
                row(
                        "groupNorm of a flattened image",
                        conv(16, 3, 2, 1, true),
                        flatten(),
                        groupNorm(4, 0.1, true),
                        relu()),
                row("layerNorm of images", conv(17, 3, 1, 1, true), layerNorm(1e-3, true), relu(), pool(2, 2)),
                row(
                        "layerNorm of vectors",
                        flatten(),
                        linear(9, true),
                        layerNorm(0.1, true),
                        relu(),
                        linear(17, true),
                        layerNorm(0.1, false)),
                row("layerNorm of a flattened image", conv(17, 3, 2, 1, true), relu(), flatten(), layerNorm(0.1, true)),
                row("layerNorm of the pixels, not affine", layerNorm(0.1, false), conv(5, 3, 1, 1, true)),
                exactly(
                        "layerNorm of rows, then of images",
                        Shape.of(2, 6, 5),
                        3,
                        conv(17, 3, 1, 1, true),
                        layerNorm(0.1, true, 5),
                        relu(),
                        layerNorm(0.1, true, 6, 5),
                        flatten(),
                        linear(3, true)),
                row(
                        "layerNorm2d",
                        conv(17, 3, 1, 1, true),
                        layerNorm2d(0.01, true),
                        gelu("none"),
                        conv(8, 3, 1, 1, true),
                        layerNorm2d(0.1, false)),
                row(
                        "layerScale",
                        conv(17, 3, 1, 1, true),
                        layerScale(0.5),
                        relu(),
                        flatten(),
                        linear(9, true),
                        layerScale(0.1),
                        relu()),
                row(
                        "layerScale of the pixels, and of a flattened image",
                        layerScale(0.5),
                        conv(17, 3, 2, 1, true),
                        flatten(),
                        layerScale(2)),
                row(
                        "residual of norms that are not affine",
                        conv(6, 3, 1, 1, true),
                        residual(List.of(groupNorm(2, 0.1, false)), layerNorm2d(0.1, false)),
                        relu()),
                row(
                        "residual of norms",
                        conv(6, 3, 1, 1, true),
                        residual(List.of(groupNorm(2, 0.1, true), relu()), layerNorm(0.1, true), layerScale(0.2)),
                        relu()),
                row(
                        "residual of ConvNeXt",
                        conv(6, 3, 1, 1, true),
                        residual(
                                conv(6, 7, 1, 3, 1, 6, true),
                                layerNorm2d(0.01, true),
                                conv(24, 1, 1, 0, true),
                                gelu("none"),
                                conv(6, 1, 1, 0, true),
                                layerScale(0.3))),
                row("dropout after linear", flatten(), linear(11, true), dropout(0.5), linear(7, true)),
                row("dropout of the pixels", dropout(0.25)),
                row("dropout twice", conv(3, 3, 1, 1, true), dropout(0.75), relu(), dropout(0.1), pool(2, 2)),
                row("dropout 0", conv(3, 3, 1, 1, true), dropout(0), relu()),
                exactly("dropout last", Shape.of(1, 4, 4), 3, flatten(), linear(3, true), dropout(0.5)),
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
                row("upsample of the pixels", upsample(1.5, 2)),
                row("leakyRelu", conv(5, 3, 1, 1, true), leakyRelu(0.01), conv(3, 3, 1, 1, true), leakyRelu(0.3)),
                row("gelu", conv(5, 3, 1, 1, true), gelu("none"), flatten(), linear(9, true), gelu("none")),
                row("gelu by tanh", conv(5, 3, 1, 1, true), gelu("tanh"), flatten(), linear(9, true), gelu("tanh")),
                row("tanh", conv(5, 3, 1, 1, true), tanh(), flatten(), linear(9, true), tanh()),
                row("sigmoid", conv(5, 3, 1, 1, true), sigmoid(), flatten(), linear(9, true), sigmoid()),
                row("silu", conv(5, 3, 1, 1, true), silu(), flatten(), linear(9, true), silu()),
                row("softplus", conv(5, 3, 1, 1, true), softplus(1, 20), flatten(), linear(9, true), softplus(2, 20)),
                row(
                        "softplus, mostly linear",
                        conv(17, 3, 1, 1, true),
                        softplus(4, 0),
                        flatten(),
                        linear(9, true),
                        softplus(0.5, 0.1)),
                row(
                        "hardswish",
                        conv(17, 3, 1, 1, true),
                        softplus(0.2, 20),
                        hardswish(),
                        flatten(),
                        linear(9, true),
                        hardswish()),
                row(
                        "hardtanh",
                        conv(5, 3, 1, 1, true),
                        hardtanh(-0.1, 0.2),
                        flatten(),
                        linear(9, true),
                        hardtanh(-1, 1)),
                row("hardtanh of what is not 0", conv(17, 3, 1, 1, true), hardtanh(0.1, 0.5), conv(3, 3, 1, 1, true)),
                row(
                        "relu6",
                        conv(17, 3, 1, 1, true),
                        softplus(0.2, 20),
                        relu6(),
                        flatten(),
                        linear(9, true),
                        relu6(),
                        relu()),
                row(
                        "identity",
                        identity(),
                        conv(5, 3, 1, 1, true),
                        identity(),
                        relu(),
                        identity(),
                        flatten(),
                        linear(9, true),
                        identity()),
                row(
                        "residual of an identity",
                        conv(5, 3, 1, 1, true),
                        residual(identity()),
                        residual(List.of(relu()), identity())),
                row("relu after each", conv(4, 3, 1, 1, true), tanh(), relu(), gelu("none"), relu(), sigmoid(), relu()),
                row("each after relu", conv(4, 3, 1, 1, true), relu(), tanh(), leakyRelu(0.1), relu(), gelu("tanh")),
                row("activations of the pixels", gelu("none"), tanh(), sigmoid(), leakyRelu(0.2)),
                row("more activations of the pixels", silu(), hardswish(), softplus(1, 20), relu6()),
                row("dropout2d after conv2d", conv(9, 3, 1, 1, true), dropout2d(0.5), conv(4, 3, 1, 0, true)),
                row("dropout2d of the pixels", dropout2d(0.25)),
                row("dropout2d between dropouts", conv(5, 3, 1, 1, true), dropout(0.2), dropout2d(0.5), dropout(0.1)),
                row("dropout2d 0", conv(3, 3, 1, 1, true), dropout2d(0), relu()),
                row(
                        "residual",
                        conv(5, 3, 1, 1, true),
                        residual(conv(5, 3, 1, 1, true), relu(), conv(5, 1, 1, 0, true))),
                row("residual of the pixels", residual(relu())),
                row("residual of nothing but the sum", conv(4, 3, 1, 1, true), residual(dropout(0)), relu()),
                row("residual, relu first within", conv(5, 3, 1, 1, true), residual(relu(), conv(5, 3, 1, 1, true))),
                row("residual, relu last within", conv(5, 3, 1, 1, true), residual(conv(5, 3, 1, 1, true), relu())),
                row(
                        "residual of activations",
                        conv(5, 3, 1, 1, true),
                        residual(tanh(), gelu("none")),
                        residual(sigmoid())),
                row("relu, residual, relu", conv(5, 3, 1, 1, true), relu(), residual(conv(5, 3, 1, 1, true)), relu()),
                row(
                        "residual, relu first in both branches",
                        conv(17, 3, 1, 1, true),
                        residual(List.of(relu(), conv(6, 3, 1, 1, true)), relu(), conv(6, 1, 1, 0, true))),
                row(
                        "residual, relu and dropout last in both branches",
                        conv(4, 3, 1, 1, true),
                        residual(List.of(conv(4, 3, 1, 1, true), relu()), conv(4, 1, 1, 0, true), dropout(0.3))),
                row(
                        "residual with batchNorm2d, stride 2",
                        conv(8, 3, 1, 1, false),
                        norm(),
                        relu(),
                        residual(
                                List.of(conv(16, 3, 2, 1, false), norm(), relu(), conv(16, 3, 1, 1, false), norm()),
                                conv(16, 1, 2, 0, false),
                                norm()),
                        relu()),
                row(
                        "residual with batchNorm2d first",
                        conv(5, 3, 1, 1, true),
                        residual(norm(), relu(), conv(5, 1, 1, 0, true))),
                row("residual, its shortcut alone trained", residual(List.of(relu()), norm())),
                row("residual with parameters before and behind", relu(), residual(relu(), norm(), relu()), relu()),
                row(
                        "residual with dropout in both branches",
                        conv(6, 3, 1, 1, true),
                        dropout(0.1),
                        residual(List.of(dropout(0.5), conv(6, 3, 1, 1, true), dropout2d(0.25)), dropout(0.4), relu()),
                        dropout(0.2)),
                row("residual within residual", conv(5, 3, 1, 1, true), residual(residual(relu(), norm()), relu())),
                row(
                        "residual within both branches",
                        conv(5, 3, 1, 1, true),
                        residual(
                                List.of(residual(relu(), conv(5, 3, 1, 1, true)), relu()),
                                residual(List.of(relu()), relu(), conv(5, 1, 1, 0, true)),
                                relu()),
                        relu()),
                row(
                        "residual four deep",
                        residual(residual(residual(residual(relu(), norm()), relu()), relu()), relu())),
                row(
                        "residual after residual",
                        conv(5, 3, 1, 1, true),
                        residual(relu()),
                        residual(relu(), norm()),
                        residual(relu())),
                row(
                        "residual with pooling",
                        conv(4, 3, 1, 1, true),
                        residual(List.of(pool(2, 2), relu()), avgPool(2, 2))),
                row("residual in groups", conv(4, 3, 1, 1, true), residual(conv(4, 3, 1, 1, 1, 4, true)), relu()),
                row("residual of vectors", flatten(), linear(9, true), residual(relu(), linear(9, true)), relu()),
                exactly(
                        "residual that flattens in one branch",
                        Shape.of(2, 4, 4),
                        3,
                        conv(17, 3, 2, 1, true),
                        residual(List.of(flatten(), relu(), linear(6, true)), conv(6, 2, 1, 0, true), flatten()),
                        relu(),
                        linear(3, true)),
                exactly(
                        "residual of a flattened image",
                        Shape.of(2, 3, 3),
                        3,
                        conv(17, 2, 1, 0, true),
                        flatten(),
                        residual(relu(), linear(68, true)),
                        residual(relu()),
                        linear(3, true)),
                exactly(
                        "residual last",
                        Shape.of(2, 4, 3),
                        4,
                        flatten(),
                        linear(4, true),
                        residual(relu(), linear(4, true))),
                row("linear alone"),
                exactly("linear without bias", Shape.of(2, 4, 3), 6, flatten(), linear(6, false)),
                row("linear after linear", flatten(), linear(17, true), linear(5, false)),
                row("flatten twice", flatten(), linear(8, true), flatten()));
    }

    /// A row on random small images; what the layers give is flattened where it must be and made to logits.
    private static LayerCase row(String name, LayerSpec... layers) {
        Random random = new Random(name.hashCode());
        Shape input = Shape.of(1 + random.nextInt(3), 6 + random.nextInt(4), 6 + random.nextInt(4));
        int classes = 2 + random.nextInt(5);
        List<LayerSpec> all = new ArrayList<>(List.of(layers));
        if (all.stream().noneMatch(Flatten.class::isInstance)) {
            all.add(flatten());
        }
        all.add(linear(classes, true));
        return new LayerCase(name, input, classes, all);
    }

    /// As [#row] on images of that shape, behind a convolution.
    private static LayerCase covering(String name, Shape input, LayerSpec layer) {
        return exactly(name, input, 3, conv(5, 3, 1, 1, true), layer, flatten(), linear(3, true));
    }

    private static Padding padding(int rows, int columns) {
        return new Padding(sides(rows, columns));
    }

    private static LayerCase exactly(String name, Shape input, int classes, LayerSpec... layers) {
        return new LayerCase(name, input, classes, List.of(layers));
    }
}
