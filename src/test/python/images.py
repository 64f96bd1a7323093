#!/usr/bin/env python3
"""Writes pictures in all formats that image folders support, and the pixels that PIL and torchvision read.

    python3 images.py [DIR]      DIR is src/test/resources/golden/images if not given

Needs torch, torchvision, numpy and pillow. Recorded with torchvision 0.14.1 and Pillow 9.4.0 with libjpeg-turbo and libwebp.

`<case>.<ending>` are the pictures. decoded.jsonl has a line for each: its size, and the bytes of `convert("RGB")`, (height, width, 3), in Base64.
transformed.jsonl has sizes, what Resize and CenterCrop are given, and the size and the SHA-256 of what they make of the pattern `pattern()`.
split.json has what random_split makes of so many samples.
"""
import base64
import hashlib
import io
import json
import os
import random
import struct
import sys
import zlib

import numpy as np
import torch
from PIL import Image
from torch.utils.data import random_split
from torchvision import transforms

WIDTH, HEIGHT = 23, 17


def pattern(width, height, channels):
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    return ((x * x * 3 + y * 7 + x * y * 5 + c * 50) & 255).astype(np.uint8)


def photo(width, height):
    """Smooth shades with a few edges, as photos have them; noise would not test a lossy decoder."""
    y, x = np.mgrid[0:height, 0:width]
    red = 128 + 90 * np.sin(x / 9) * np.cos(y / 7)
    green = 255 * x / width
    blue = 255 * y / height
    image = np.stack([red, green, blue], axis=2)
    image[height // 4:height // 2, width // 3:width // 2] = (250, 30, 20)
    image[height // 2:height // 2 + 3] = (5, 5, 90)
    return Image.fromarray(image.clip(0, 255).astype(np.uint8))


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, kind, rows, interlaced=False, extra=b""):
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + extra + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


def adam7(pixels):
    """The rows of an interlaced PNG of 8 bits a channel."""
    for top, left, down, right in [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]:
        part = pixels[top::down, left::right]
        if part.size:
            yield from (row.tobytes() for row in part)


def saved(image, format, **options):
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def patched(file, at, data):
    return file[:at] + data + file[at + len(data):]


def bmp16(pixels):
    """5, 6 and 5 bits a pixel, with masks, rows from the top."""
    height, width, _ = pixels.shape
    p = pixels.astype(np.uint16)
    words = (p[..., 0] >> 3) << 11 | (p[..., 1] >> 2) << 5 | p[..., 2] >> 3
    rows = b"".join(row.astype("<u2").tobytes().ljust((2 * width + 3) // 4 * 4, b"\0") for row in words)
    header = struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 16, 3, len(rows), 0, 0, 0, 0)
    masks = struct.pack("<III", 0xf800, 0x07e0, 0x001f)
    offset = 14 + len(header) + len(masks)
    return b"BM" + struct.pack("<IHHI", offset + len(rows), 0, 0, offset) + header + masks + rows


def pictures():
    rgb = Image.fromarray(pattern(WIDTH, HEIGHT, 3))
    rgba = Image.fromarray(pattern(WIDTH, HEIGHT, 4), "RGBA")
    grey = Image.fromarray(pattern(WIDTH, HEIGHT, 1)[..., 0])
    palette = rgb.quantize(200)
    wide = pattern(WIDTH, HEIGHT, 3).astype(">u2") * 257 + 5

    yield "rgb.png", saved(rgb, "PNG")
    yield "rgba.png", saved(rgba, "PNG")
    yield "grey.png", saved(grey, "PNG")
    yield "grey-alpha.png", saved(Image.merge("LA", [grey, grey.rotate(180)]), "PNG")
    yield "palette.png", saved(palette, "PNG", transparency=3)
    yield "palette-4-bits.png", saved(rgb.quantize(11), "PNG")
    yield "one-bit.png", saved(grey.convert("1"), "PNG")
    yield "grey-2-bits.png", png(9, 2, 2, 0, [bytes([0b00011011, 0b11100100, 0b01000000]), bytes([0b10110001, 0b00111001, 0b11000000])])
    yield "grey-16-bits.png", saved(Image.fromarray((pattern(WIDTH, HEIGHT, 1)[..., 0].astype(np.uint16) * 3)), "PNG")
    yield "rgb-16-bits.png", png(WIDTH, HEIGHT, 16, 2, [row.tobytes() for row in wide])
    yield "interlaced.png", png(WIDTH, HEIGHT, 8, 2, adam7(pattern(WIDTH, HEIGHT, 3)), interlaced=True)
    extra = png_chunk(b"gAMA", struct.pack(">I", 22_000)) + png_chunk(b"tEXt", b"Comment\0hello") + png_chunk(b"tRNS", bytes(6))
    yield "gamma.png", png(WIDTH, HEIGHT, 8, 2, [row.tobytes() for row in pattern(WIDTH, HEIGHT, 3)], extra=extra)

    yield "rgb.bmp", saved(rgb, "BMP")
    yield "palette.bmp", saved(palette, "BMP")
    yield "grey.bmp", saved(grey, "BMP")
    yield "one-bit.bmp", saved(grey.convert("1"), "BMP")
    yield "rgba.bmp", saved(rgba, "BMP")
    yield "16-bits.bmp", bmp16(pattern(WIDTH, HEIGHT, 3))

    gif = saved(palette, "GIF", interlace=False)
    yield "palette.gif", gif
    yield "grey.gif", saved(grey, "GIF")
    yield "interlaced.gif", saved(palette, "GIF", interlace=True)
    yield "animated.gif", saved(palette, "GIF", save_all=True, append_images=[palette.rotate(180)], duration=100)
    image = gif.index(b",\0\0\0\0" + struct.pack("<HH", WIDTH, HEIGHT))
    screen = patched(gif, 6, struct.pack("<HH", WIDTH + 6, HEIGHT + 5))
    placed = patched(screen, image + 1, struct.pack("<HH", 4, 3))
    yield "placed.gif", placed
    control = b"!\xf9\4" + bytes([1, 0, 0, 7]) + b"\0"
    yield "placed-transparent.gif", placed[:image] + control + placed[image:]

    shades = photo(61, 43)
    for name, options in {
        "420": {"quality": 75}, "422": {"quality": 85, "subsampling": 1}, "444": {"quality": 95, "subsampling": 0},
        "progressive": {"quality": 80, "progressive": True}, "poor": {"quality": 10},
    }.items():
        yield name + ".jpg", saved(shades, "JPEG", **options)
    yield "grey.jpg", saved(shades.convert("L"), "JPEG", quality=80)
    yield "cmyk.jpg", saved(shades.convert("CMYK"), "JPEG", quality=90)
    exif = Image.Exif()
    exif[0x0112] = 6
    yield "turned-by-exif.jpg", saved(shades, "JPEG", exif=exif)
    jfif = saved(shades, "JPEG", quality=90, subsampling=0)
    adobe = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"
    yield "rgb-by-adobe.jpg", jfif[:2] + adobe + b"\0" + jfif[20:]
    yield "neither-jfif-nor-adobe.jpg", jfif[:2] + jfif[20:]
    ycck = saved(shades.convert("CMYK"), "JPEG", quality=90)
    at = ycck.index(b"Adobe") + 11
    yield "ycck.jpg", patched(ycck, at, b"\2")

    yield "lossless.webp", saved(rgb, "WEBP", lossless=True)
    yield "lossless-alpha.webp", saved(rgba, "WEBP", lossless=True, exact=True)
    yield "lossy.webp", saved(shades, "WEBP", quality=80)
    faded = shades.copy()
    faded.putalpha(Image.linear_gradient("L").resize(shades.size))
    yield "lossy-alpha.webp", saved(faded, "WEBP", quality=60)


def decoded(folder):
    with open(os.path.join(folder, "decoded.jsonl"), "w") as lines:
        for name, file in pictures():
            with open(os.path.join(folder, name), "wb") as out:
                out.write(file)
            image = Image.open(io.BytesIO(file)).convert("RGB")
            pixels = base64.b64encode(image.tobytes()).decode()
            lines.write(json.dumps({"file": name, "width": image.width, "height": image.height, "rgb": pixels}) + "\n")


def transformed(folder):
    draw = random.Random(5)
    side = lambda: draw.choice([1, 2, 3, 5, 7, 8, 13, 16, 31, 32, 47, 64, 99])
    with open(os.path.join(folder, "transformed.jsonl"), "w") as lines:
        for i in range(150):
            width, height, grey = side(), side(), i % 5 == 0
            resize = [None, [side()], [side(), side()]][i % 3]
            crop = [None, [side()], [side(), side()], None][i % 4]
            steps = [transforms.Grayscale()] if grey else []
            steps += [transforms.Resize(resize)] if resize else []
            steps += [transforms.CenterCrop(crop)] if crop else []
            try:
                image = transforms.Compose(steps)(Image.fromarray(pattern(width, height, 3)))
            except ValueError:      # a side of no pixels
                continue
            sha = hashlib.sha256(image.tobytes()).hexdigest()
            lines.write(json.dumps({
                "from": [width, height], "grey": grey, "resize": resize, "centerCrop": crop,
                "to": list(image.size), "sha256": sha}) + "\n")


def split(folder):
    rows = []
    for samples, validation, test, seed in [
            (10, 0, 0.2, 7), (11, 0, 0.2, 7), (7, 0, 0.5, 0), (101, 0, 0.3, 4294967295), (57, 0, 0.15, 42), (200, 0, 0.25, 1),
            (10, 0.1, 0, 0), (57, 0.15, 0, 42), (3001, 0.25, 0, 4294967295), (11, 0.1, 0.2, 7), (57, 0.15, 0.15, 3), (1003, 0.125, 0.25, 1)]:
        shares = [share for share in [1 - validation - test, validation, test] if share > 0]
        parts = [part.indices for part in random_split(range(samples), shares, generator=torch.Generator().manual_seed(seed))]
        rows.append({"samples": samples, "validation": validation, "test": test, "seed": seed, "train": parts[0],
                     "validated": parts[1] if validation else [], "tested": parts[-1] if test else []})
    with open(os.path.join(folder, "split.json"), "w") as out:
        out.write("[" + ",\n".join(map(json.dumps, rows)) + "]\n")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../resources/golden/images")
    os.makedirs(folder, exist_ok=True)
    decoded(folder)
    transformed(folder)
    split(folder)


if __name__ == "__main__":
    main()
