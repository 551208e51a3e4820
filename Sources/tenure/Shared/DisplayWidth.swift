/// Computes how many terminal columns a text takes.
///
/// It implements the simple part of UAX #11: wide blocks count two, combining marks count zero, everything else counts
/// one. A terminal that draws an ambiguous character wide will be off by one for each.
enum DisplayWidth {
    /// The number of columns of a text without control characters.
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The width of a character is that of its widest scalar, so that a base with marks or a joined emoji counts once.
    private static func width(of character: Character) -> Int {
        character.unicodeScalars.map(width).max() ?? 0
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul leading consonants
        0x2E80...0x303E,  // CJK radicals and punctuation
        0x3041...0x33FF,  // Kana to CJK compatibility
        0x3400...0x4DBF, 0x4E00...0x9FFF,  // CJK ideographs
        0xA000...0xA4CF,  // Yi
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // CJK compatibility ideographs
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,  // Full-width forms
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,  // Emoji
        0x20000...0x3FFFD,  // Supplementary ideographs
    ]
}
