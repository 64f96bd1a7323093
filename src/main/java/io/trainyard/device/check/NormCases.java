package io.trainyard.device.check;

import static io.trainyard.device.check.LayerCase.exactly;
import static io.trainyard.device.check.LayerCase.row;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.cumulativeNorm;
import static io.trainyard.device.check.Layers.cumulativeNorm1d;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.gelu;
import static io.trainyard.device.check.Layers.groupNorm;
import static io.trainyard.device.check.Layers.layerNorm;
import static io.trainyard.device.check.Layers.layerNorm2d;
import static io.trainyard.device.check.Layers.layerScale;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.norm;
import static io.trainyard.device.check.Layers.norm1d;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.residual;

import io.trainyard.spec.Shape;
import java.util.List;

final class NormCases {
    private NormCases() {}

    static List<LayerCase> all() {
        return List.of(
                row("batchNorm2d of the pixels", norm()),
                row("batchNorm2d after conv2d", conv(5, 3, 1, 0, false), norm()),
                row("batchNorm2d, then relu, then maxPool2d", conv(5, 3, 1, 1, true), norm(), relu(), pool(2, 2)),
                row("batchNorm2d twice", conv(4, 3, 1, 1, true), norm(), conv(3, 3, 1, 1, true), norm()),
                row("batchNorm2d with options", conv(5, 3, 1, 1, true), norm(0.1, 0.75, true), relu(), pool(2, 2)),
                row("batchNorm2d, cumulative", conv(5, 3, 1, 1, true), cumulativeNorm(), relu(), pool(2, 2)),
                row(
                        "residual with batchNorm1d, cumulative",
                        flatten(),
                        linear(9, true),
                        residual(linear(9, true), cumulativeNorm1d()),
                        relu()),
                row(
                        "batchNorm2d, not affine",
                        norm(1e-3, 0.1, false),
                        conv(17, 3, 1, 1, true),
                        norm(1e-5, 0, false),
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
                                layerScale(0.3))));
    }
}
