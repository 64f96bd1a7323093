package io.trainyard.device.check;

import static io.trainyard.device.check.LayerCase.exactly;
import static io.trainyard.device.check.LayerCase.row;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.dropout;
import static io.trainyard.device.check.Layers.dropout2d;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.identity;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;

import io.trainyard.spec.Shape;
import java.util.List;
import java.util.stream.Stream;

public final class LayerCases {
    private LayerCases() {}

    /// A new layer or layer option needs a case here or in the list of its kind.
    public static List<LayerCase> all() {
        return Stream.of(
                        WindowCases.convolutions(),
                        WindowCases.pools(),
                        ActivationCases.all(),
                        NormCases.all(),
                        others(),
                        ResidualCases.all(),
                        JoinCases.all())
                .flatMap(List::stream)
                .toList();
    }

    private static List<LayerCase> others() {
        return List.of(
                row("dropout after linear", flatten(), linear(11, true), dropout(0.5), linear(7, true)),
                row("dropout of the pixels", dropout(0.25)),
                row("dropout twice", conv(3, 3, 1, 1, true), dropout(0.75), relu(), dropout(0.1), pool(2, 2)),
                row("dropout 0", conv(3, 3, 1, 1, true), dropout(0), relu()),
                exactly("dropout last", Shape.of(1, 4, 4), 3, flatten(), linear(3, true), dropout(0.5)),
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
                row("dropout2d after conv2d", conv(9, 3, 1, 1, true), dropout2d(0.5), conv(4, 3, 1, 0, true)),
                row("dropout2d of the pixels", dropout2d(0.25)),
                row("dropout2d between dropouts", conv(5, 3, 1, 1, true), dropout(0.2), dropout2d(0.5), dropout(0.1)),
                row("dropout2d 0", conv(3, 3, 1, 1, true), dropout2d(0), relu()),
                row("linear alone"),
                exactly("linear without bias", Shape.of(2, 4, 3), 6, flatten(), linear(6, false)),
                row("linear after linear", flatten(), linear(17, true), linear(5, false)),
                row("flatten twice", flatten(), linear(8, true), flatten()));
    }
}
