package io.trainyard.export;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/// Converts ids to file names: clients may write any id to a topic.
final class FileName {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final int MAX_LENGTH = 180;

    private FileName() {}

    /// A valid id is unchanged. In other ids, characters except letters, digits, hyphens, underscores and inner
    /// dots are replaced by `%` and their bytes.
    static String of(String id) {
        StringBuilder name = new StringBuilder();
        for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.');
            if (plain && !(c == '.' && name.isEmpty())) {
                name.append(c);
            } else {
                name.append('%').append(HEX.toHexDigits(b));
            }
        }
        return name.length() <= MAX_LENGTH ? name.toString() : name.substring(0, MAX_LENGTH) + "%" + sum(id);
    }

    private static String sum(String id) {
        CRC32C crc = new CRC32C();
        crc.update(id.getBytes(StandardCharsets.UTF_8));
        return HEX.toHexDigits((int) crc.getValue());
    }
}
