package io.trainyard.device.check;

import static io.trainyard.device.check.LayerCase.exactly;
import static io.trainyard.device.check.LayerCase.row;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.gelu;
import static io.trainyard.device.check.Layers.hardswish;
import static io.trainyard.device.check.Layers.hardtanh;
import static io.trainyard.device.check.Layers.leakyRelu;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.relu6;
import static io.trainyard.device.check.Layers.sigmoid;
import static io.trainyard.device.check.Layers.silu;
import static io.trainyard.device.check.Layers.softplus;
import static io.trainyard.device.check.Layers.tanh;

import io.trainyard.spec.Shape;
import java.util.List;

final class ActivationCases {
    private ActivationCases() {}

    static List<LayerCase> all() {
        return List.of(
                row("relu after conv2d", conv(5, 3, 1, 1, true), relu()),
                row("relu of the pixels", relu()),
                row("relu, then maxPool2d", conv(5, 3, 1, 1, true), relu(), pool(2, 2)),
                row("relu, then maxPool2d overlapping", conv(5, 3, 1, 1, true), relu(), pool(3, 1)),
                row("relu twice", conv(5, 3, 1, 1, true), relu(), relu()),
                row("relu after linear", flatten(), linear(9, true), relu(), linear(7, true), relu()),
                exactly("relu last", Shape.of(2, 5, 5), 4, flatten(), linear(4, true), relu()),
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
                row("relu after each", conv(4, 3, 1, 1, true), tanh(), relu(), gelu("none"), relu(), sigmoid(), relu()),
                row("each after relu", conv(4, 3, 1, 1, true), relu(), tanh(), leakyRelu(0.1), relu(), gelu("tanh")),
                row("activations of the pixels", gelu("none"), tanh(), sigmoid(), leakyRelu(0.2)),
                row("more activations of the pixels", silu(), hardswish(), softplus(1, 20), relu6()));
    }
}
