package io.trainyard.data.image;

record BmpFile(ImageSize size, byte[] file) implements ImageFile {
    private static final int FILE_HEADER_BYTES = 14;
    private static final int OS2_HEADER_BYTES = 12;

    static BmpFile open(byte[] file) {
        long headerBytes = Bytes.unsignedIntLittle(file, FILE_HEADER_BYTES);
        int at = FILE_HEADER_BYTES + 4;
        ImageSize size = headerBytes == OS2_HEADER_BYTES
                ? ImageSize.checked(Bytes.shortLittle(file, at), Bytes.shortLittle(file, at + 2))
                : ImageSize.checked( // a negative height means that rows start at the top
                        Bytes.intLittle(file, at), Math.abs((long) Bytes.intLittle(file, at + 4)));
        return new BmpFile(size, file);
    }

    @Override
    public int bytesPerPixel() {
        return 8; // up to 4 and 3
    }

    @Override
    public DecodedImage decode() {
        return Rasters.picture(ImageIoReader.image(ImageIoReader.ofJdk("bmp"), file), size);
    }
}
