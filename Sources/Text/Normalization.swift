/// The normalization forms D and C of Unicode 15.0 (The Unicode Standard, section 3.11; UAX #15).
package enum Normalization {
    /// Form D: full canonical decomposition in canonical order.
    package static func decompose(_ scalars: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count + scalars.count / 2)
        for scalar in scalars {
            if Hangul.isSyllable(scalar) {
                Hangul.decompose(scalar, into: &result)
            } else {
                UnicodeTables.version15.decomposition.append(scalar, to: &result)
            }
        }
        return order(result)
    }

    /// Sorts every run of characters with a combining class other than 0 by class. The sort is stable.
    package static func order(_ scalars: [UInt32]) -> [UInt32] {
        let classes = scalars.map { UnicodeTables.version15.combiningClass($0) }
        var result = scalars
        var start = 0
        while start < scalars.count {
            var end = start
            while end < scalars.count, classes[end] != 0 { end += 1 }
            if end - start > 1 {
                // The offset makes the sort stable. Sorting keeps long runs cheap.
                let sorted = (start..<end).sorted { (classes[$0], $0) < (classes[$1], $1) }
                for (offset, source) in sorted.enumerated() { result[start + offset] = scalars[source] }
            }
            start = end + 1
        }
        return result
    }

    /// Form C of a text in form D: each character joins the last starter that it is not blocked from (D117).
    package static func compose(_ scalars: [UInt32]) -> [UInt32] {
        let tables = UnicodeTables.version15
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count)
        var starter: Int?
        var previousClass: UInt8 = 0
        for scalar in scalars {
            let combiningClass = tables.combiningClass(scalar)
            if let starter {
                let adjacent = result.count == starter + 1
                let blocked = !adjacent && previousClass >= combiningClass
                if !blocked, let composite = composite(result[starter], scalar, tables) {
                    result[starter] = composite
                    continue
                }
            }
            if combiningClass == 0 { starter = result.count }
            previousClass = combiningClass
            result.append(scalar)
        }
        return result
    }

    private static func composite(_ first: UInt32, _ second: UInt32, _ tables: UnicodeTables) -> UInt32? {
        Hangul.compose(first, second) ?? tables.compositions[UInt64(first) << 32 | UInt64(second)]
    }
}

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
