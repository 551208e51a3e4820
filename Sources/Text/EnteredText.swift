/// Checks names, ids and addresses as entered for invisible characters.
///
/// The canonical form removes such characters, so comparisons never depend on them. The text is stored and shown as
/// entered, however, where they make two texts look alike or reorder a text.
///
/// It refuses control characters, line and paragraph separators, bidirectional controls, invisible code points, and
/// U+FFFD, which stands for bytes that were not UTF-8. A
/// zero-width joiner or non-joiner and a variation selector are accepted where the preceding script needs one, by the
/// rules of RFC 5892, appendices A.1 and A.2.
package enum EnteredText {
    /// Refuses a text with a forbidden code point.
    ///
    /// - Throws: ``TextError`` with ``TextError/Code/controlCharacter``, ``TextError/Code/invisibleCharacter`` or
    ///   ``TextError/Code/replacementCharacter``.
    package static func check(_ text: String) throws(TextError) {
        // ASCII has no invisible characters except controls, and most names are ASCII.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return }
        // White space alone is an empty text, which the canonical form refuses with a better error.
        guard !text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else { return }
        let scalars = text.unicodeScalars.map(\.value)
        for (index, scalar) in scalars.enumerated() {
            if isControl(scalar) { throw TextError(code: .controlCharacter) }
            if scalar == 0xFFFD { throw TextError(code: .replacementCharacter) }
            guard isInvisible(scalar) else { continue }
            guard isNeeded(scalar, at: index, in: scalars) else { throw TextError(code: .invisibleCharacter) }
        }
    }

    /// The general categories Cc, Zl and Zp.
    private static func isControl(_ scalar: UInt32) -> Bool {
        scalar < 0x20 || (0x7F...0x9F).contains(scalar) || scalar == 0x2028 || scalar == 0x2029
    }

    private static func isInvisible(_ scalar: UInt32) -> Bool { InvisibleCharacters.all.contains(scalar) }

    /// Whether the character before a joiner or selector requires it; for a non-joiner also the one after it.
    private static func isNeeded(_ scalar: UInt32, at index: Int, in scalars: [UInt32]) -> Bool {
        guard index > 0 else { return false }
        let before = scalars[index - 1]
        switch scalar {
        case 0x200C: return isVirama(before) || isJoinBroken(at: index, in: scalars)
        case 0x200D: return isVirama(before)
        case 0x180B...0x180F: return (0x1820...0x18AA).contains(before)
        case 0xFE00...0xFE0F: return InvisibleCharacters.withStandardVariants.contains(before)
        case 0xE0100...0xE01EF: return InvisibleCharacters.han.contains(before)
        default: return false
        }
    }

    private static func isVirama(_ scalar: UInt32) -> Bool { UnicodeTables.version15.combiningClass(scalar) == 9 }

    /// Whether two letters would join without the non-joiner between them. Marks are ignored.
    private static func isJoinBroken(at index: Int, in scalars: [UInt32]) -> Bool {
        let tables = UnicodeTables.version15
        func isLetter(_ scalar: UInt32) -> Bool { tables.combiningClass(scalar) == 0 }
        guard let before = scalars[..<index].last(where: isLetter), JoiningLetters.joiningOnward.contains(before),
            let after = scalars[(index + 1)...].first(where: isLetter)
        else { return false }
        return JoiningLetters.joiningOnward.contains(after) || JoiningLetters.joiningBackward.contains(after)
    }
}

/// Code points that are invisible by themselves.
enum InvisibleCharacters {
    /// Default_Ignorable_Code_Point, the annotation controls, the object replacement character and the empty Braille
    /// pattern.
    static let all = ScalarSet([
        0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F,
        0x202A...0x202E, 0x2060...0x206F, 0x2800...0x2800, 0x3164...0x3164, 0xFE00...0xFE0F, 0xFEFF...0xFEFF,
        0xFFA0...0xFFA0, 0xFFF0...0xFFFC, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF,
    ])

    /// Scripts with standardized variation sequences: Myanmar, Phags-pa, Manichaean, and ideographs.
    static let withStandardVariants = ScalarSet([
        0x1000...0x109F, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA840...0xA877, 0xA9E0...0xA9FE, 0xAA60...0xAA7F,
        0x10AC0...0x10AEF, 0x20000...0x2A6DF,
    ])

    /// Ideographs, which have registered variants.
    static let han = ScalarSet([0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAD9, 0x20000...0x323AF])
}

/// Letters by the property Joining_Type.
enum JoiningLetters {
    /// Letters that join the following one: Dual_Joining and Left_Joining.
    static let joiningOnward = ScalarSet([
        0x620...0x620, 0x626...0x626, 0x628...0x628, 0x62A...0x62E, 0x633...0x63F, 0x641...0x647, 0x649...0x64A,
        0x66E...0x66F, 0x678...0x687, 0x69A...0x6BF, 0x6C1...0x6C2, 0x6CC...0x6CC, 0x6CE...0x6CE, 0x6D0...0x6D1,
        0x6FA...0x6FC, 0x6FF...0x6FF, 0x712...0x714, 0x71A...0x71D, 0x71F...0x727, 0x729...0x729, 0x72B...0x72B,
        0x72D...0x72E, 0x74E...0x758, 0x75C...0x76A, 0x76D...0x770, 0x772...0x772, 0x775...0x777, 0x77A...0x77F,
        0x7CA...0x7EA, 0x841...0x845, 0x848...0x848, 0x84A...0x853, 0x855...0x855, 0x860...0x860, 0x862...0x865,
        0x868...0x868, 0x886...0x886, 0x889...0x88D, 0x8A0...0x8A9, 0x8AF...0x8B0, 0x8B3...0x8B8, 0x8BA...0x8C8,
        0x1807...0x1807, 0x1820...0x1878, 0x1887...0x18A8, 0x18AA...0x18AA, 0xA840...0xA872, 0x10AC0...0x10AC4,
        0x10ACD...0x10ACD, 0x10AD3...0x10ADC, 0x10ADE...0x10AE0, 0x10AEB...0x10AEE, 0x10B80...0x10B80,
        0x10B82...0x10B82, 0x10B86...0x10B88, 0x10B8A...0x10B8B, 0x10B8D...0x10B8D, 0x10B90...0x10B90,
        0x10BAD...0x10BAE, 0x10D00...0x10D21, 0x10D23...0x10D23, 0x10F30...0x10F32, 0x10F34...0x10F44,
        0x10F51...0x10F53, 0x10F70...0x10F73, 0x10F76...0x10F81, 0x10FB0...0x10FB0, 0x10FB2...0x10FB3,
        0x10FB8...0x10FB8, 0x10FBB...0x10FBC, 0x10FBE...0x10FBF, 0x10FC1...0x10FC1, 0x10FC4...0x10FC4,
        0x10FCA...0x10FCB, 0x1E900...0x1E943,
    ])

    /// Letters that join only the preceding one: Right_Joining.
    static let joiningBackward = ScalarSet([
        0x622...0x625, 0x627...0x627, 0x629...0x629, 0x62F...0x632, 0x648...0x648, 0x671...0x673, 0x675...0x677,
        0x688...0x699, 0x6C0...0x6C0, 0x6C3...0x6CB, 0x6CD...0x6CD, 0x6CF...0x6CF, 0x6D2...0x6D3, 0x6D5...0x6D5,
        0x6EE...0x6EF, 0x710...0x710, 0x715...0x719, 0x71E...0x71E, 0x728...0x728, 0x72A...0x72A, 0x72C...0x72C,
        0x72F...0x72F, 0x74D...0x74D, 0x759...0x75B, 0x76B...0x76C, 0x771...0x771, 0x773...0x774, 0x778...0x779,
        0x840...0x840, 0x846...0x847, 0x849...0x849, 0x854...0x854, 0x856...0x858, 0x867...0x867, 0x869...0x86A,
        0x870...0x882, 0x88E...0x88E, 0x8AA...0x8AC, 0x8AE...0x8AE, 0x8B1...0x8B2, 0x8B9...0x8B9, 0x10AC5...0x10AC5,
        0x10AC7...0x10AC7, 0x10AC9...0x10ACA, 0x10ACE...0x10AD2, 0x10ADD...0x10ADD, 0x10AE1...0x10AE1,
        0x10AE4...0x10AE4, 0x10AEF...0x10AEF, 0x10B81...0x10B81, 0x10B83...0x10B85, 0x10B89...0x10B89,
        0x10B8C...0x10B8C, 0x10B8E...0x10B8F, 0x10B91...0x10B91, 0x10BA9...0x10BAC, 0x10D22...0x10D22,
        0x10F33...0x10F33, 0x10F54...0x10F54, 0x10F74...0x10F75, 0x10FB4...0x10FB6, 0x10FB9...0x10FBA,
        0x10FBD...0x10FBD, 0x10FC2...0x10FC3, 0x10FC9...0x10FC9,
    ])
}
