package io.trainyard.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// A command that connects to a fleet's Kafka.
@Command(
        exitCodeList = {
            ExitCodes.OK_HELP,
            ExitCodes.UNEXPECTED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
abstract class FleetCommand extends PlainCommand {
    @Mixin
    KafkaOptions kafka;
}
