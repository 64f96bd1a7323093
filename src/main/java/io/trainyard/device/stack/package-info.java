/// Sessions of one device that differ in numbers only, trained together as one program ([Stacks]), each still a session
/// of its own to whoever opened it: with its own steps, tests and state, and the bits that it has by itself.
@NullMarked
package io.trainyard.device.stack;

import org.jspecify.annotations.NullMarked;
