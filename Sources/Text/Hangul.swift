/// Hangul syllables, which decompose and compose by arithmetic (The Unicode Standard, section 3.12).
enum Hangul {
    private static let leading: UInt32 = 0x1100
    private static let vowel: UInt32 = 0x1161
    /// One before the first trailing consonant: the index 0 stands for none.
    private static let trailing: UInt32 = 0x11A7
    private static let syllable: UInt32 = 0xAC00
    private static let vowels: UInt32 = 21
    private static let trailings: UInt32 = 28
    private static let syllables: UInt32 = 11_172

    static func isSyllable(_ scalar: UInt32) -> Bool { scalar >= syllable && scalar < syllable + syllables }

    static func decompose(_ scalar: UInt32, into result: inout [UInt32]) {
        let index = scalar - syllable
        result.append(leading + index / (vowels * trailings))
        result.append(vowel + index / trailings % vowels)
        if index % trailings != 0 { result.append(trailing + index % trailings) }
    }

    static func compose(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if first >= leading, first < leading + 19, second >= vowel, second < vowel + vowels {
            return syllable + ((first - leading) * vowels + second - vowel) * trailings
        }
        if isSyllable(first), (first - syllable) % trailings == 0, second > trailing, second < trailing + trailings {
            return first + second - trailing
        }
        return nil
    }
}
