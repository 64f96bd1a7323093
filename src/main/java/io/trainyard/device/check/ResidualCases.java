package io.trainyard.device.check;

import static io.trainyard.device.check.LayerCase.exactly;
import static io.trainyard.device.check.LayerCase.row;
import static io.trainyard.device.check.Layers.avgPool;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.dropout;
import static io.trainyard.device.check.Layers.dropout2d;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.gelu;
import static io.trainyard.device.check.Layers.identity;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.norm;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.residual;
import static io.trainyard.device.check.Layers.sigmoid;
import static io.trainyard.device.check.Layers.tanh;

import io.trainyard.spec.Shape;
import java.util.List;

final class ResidualCases {
    private ResidualCases() {}

    static List<LayerCase> all() {
        return List.of(
                row(
                        "residual with batchNorm2d, not affine",
                        conv(5, 3, 1, 1, true),
                        residual(conv(5, 1, 1, 0, true), norm(1e-5, 1, false)),
                        relu()),
                row(
                        "residual of an identity",
                        conv(5, 3, 1, 1, true),
                        residual(identity()),
                        residual(List.of(relu()), identity())),
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
                        residual(relu(), linear(4, true))));
    }
}
