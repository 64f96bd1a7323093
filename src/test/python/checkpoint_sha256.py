#!/usr/bin/env python3
"""Prints the SHA-256 over all tensors of a .safetensors file, as float32, little-endian, in the order of the file:
what `finished` calls parametersSha256. Standard library only, and no code of Trainyard's: an independent reader."""

import hashlib
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    (length,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
    data = file.read()
header.pop("__metadata__", None)
digest = hashlib.sha256()
for tensor in sorted(header.values(), key=lambda tensor: tensor["data_offsets"]):
    begin, end = tensor["data_offsets"]
    width, kind = {"F32": (4, "f"), "I64": (8, "q")}[tensor["dtype"]]
    count = (end - begin) // width
    digest.update(struct.pack(f"<{count}f", *struct.unpack(f"<{count}{kind}", data[begin:end])))
print(digest.hexdigest())
