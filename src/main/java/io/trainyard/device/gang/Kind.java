package io.trainyard.device.gang;

/// What a message is. Its number is its place here, which is part of the protocol's [Handshake#VERSION].
enum Kind {
    /// The sender goes, and says why.
    BYE,
    /// What a part has to say where all say something.
    GATHER,
    /// A piece of gradients, for the part that sums it.
    SHARE,
    /// The sum of a piece.
    SUM,
    /// How many threads a part is to have. What follows is what the leader has the others do, and their answers.
    OPEN,
    LOAD,
    EPOCH,
    ADVANCE,
    EVALUATE,
    PREDICT,
    TESTED
}
