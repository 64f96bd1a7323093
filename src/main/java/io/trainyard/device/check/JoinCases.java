package io.trainyard.device.check;

import static io.trainyard.device.check.LayerCase.exactly;
import static io.trainyard.device.check.LayerCase.row;
import static io.trainyard.device.check.Layers.adaptive;
import static io.trainyard.device.check.Layers.avgPool;
import static io.trainyard.device.check.Layers.concat;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.dropout;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.gate;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.norm;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.residual;
import static io.trainyard.device.check.Layers.sigmoid;
import static io.trainyard.device.check.Layers.silu;
import static io.trainyard.device.check.Layers.tanh;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;

final class JoinCases {
    private static final List<LayerSpec> INPUT = List.of();

    private JoinCases() {}

    static List<LayerCase> all() {
        return List.of(
                row("concat", conv(5, 3, 1, 1, true), concat(List.of(conv(3, 1, 1, 0, true)), List.of(relu()))),
                row(
                        "concat of three, then batchNorm2d, relu",
                        conv(8, 3, 1, 1, false),
                        concat(
                                List.of(conv(16, 1, 1, 0, false), norm(), relu()),
                                List.of(conv(8, 3, 1, 1, true)),
                                List.of(pool(3, 1, 1, 1, false), conv(5, 1, 1, 0, true), tanh())),
                        norm(),
                        relu(),
                        conv(8, 3, 1, 1, true)),
                row("concat of the pixels, twice", concat(INPUT, INPUT), relu()),
                row(
                        "concat of the input in blocks",
                        conv(16, 3, 1, 1, true),
                        concat(INPUT, List.of(conv(24, 1, 1, 0, true)))),
                row(
                        "concat, densely",
                        conv(8, 3, 1, 1, false),
                        norm(),
                        concat(INPUT, List.of(norm(), relu(), conv(4, 3, 1, 1, false))),
                        concat(INPUT, List.of(norm(), relu(), dropout(0.2), conv(4, 3, 1, 1, false))),
                        norm(),
                        relu(),
                        avgPool(2, 2)),
                row(
                        "concat in a residual, and a residual in concat",
                        conv(8, 3, 1, 1, true),
                        residual(concat(
                                List.of(conv(3, 1, 1, 0, true)), List.of(residual(relu()), conv(5, 1, 1, 0, true))))),
                row(
                        "concat of vectors",
                        flatten(),
                        linear(9, true),
                        concat(List.of(linear(4, true)), INPUT, List.of(relu()))),
                exactly(
                        "concat of a vector and a flattened image",
                        Shape.of(2, 4, 4),
                        3,
                        conv(17, 3, 2, 1, true),
                        concat(List.of(flatten(), linear(6, true)), List.of(conv(6, 1, 1, 0, true), flatten())),
                        relu(),
                        linear(3, true)),
                exactly(
                        "concat last",
                        Shape.of(2, 4, 3),
                        5,
                        flatten(),
                        concat(List.of(linear(3, true)), List.of(linear(2, false)))),
                row(
                        "gate",
                        conv(5, 3, 1, 1, true),
                        gate(adaptive(1), conv(2, 1, 1, 0, true), relu(), conv(5, 1, 1, 0, true), sigmoid())),
                row(
                        "gate after batchNorm2d, silu",
                        conv(16, 3, 1, 1, false),
                        norm(),
                        silu(),
                        gate(adaptive(1), conv(4, 1, 1, 0, true), silu(), conv(16, 1, 1, 0, true), sigmoid()),
                        conv(8, 1, 1, 0, false),
                        norm()),
                row("gate of vectors by vectors", flatten(), linear(9, true), gate(linear(9, true), sigmoid()), relu()),
                row("gate of the pixels, without parameters", gate(adaptive(1), tanh())),
                row(
                        "gate by a vector, in a residual",
                        conv(8, 3, 1, 1, true),
                        residual(
                                conv(8, 3, 1, 1, false),
                                norm(),
                                gate(adaptive(1), flatten(), linear(3, true), relu(), linear(8, true), sigmoid())),
                        relu()),
                row(
                        "joins without parameters before those with",
                        conv(6, 3, 1, 1, true),
                        residual(
                                residual(relu()),
                                gate(adaptive(1), sigmoid()),
                                concat(INPUT, List.of(tanh())),
                                conv(6, 1, 1, 0, true))));
    }
}
