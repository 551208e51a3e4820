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

    /// Puts every run of characters with a combining class other than 0 in order of class, keeping the order of equals.
    package static func order(_ scalars: [UInt32]) -> [UInt32] {
        let classes = scalars.map { UnicodeTables.version15.combiningClass($0) }
        var result = scalars
        var start = 0
        while start < scalars.count {
            var end = start
            while end < scalars.count, classes[end] != 0 { end += 1 }
            if end - start > 1 {
                // The offset keeps equals in order whatever the sorting algorithm; sorting keeps long runs cheap.
                let sorted = (start..<end).sorted { (classes[$0], $0) < (classes[$1], $1) }
                for (offset, source) in sorted.enumerated() { result[start + offset] = scalars[source] }
            }
            start = end + 1
        }
        return result
    }

    /// Form C of a text that is in form D: each character joins the last starter it is not blocked from (D117).
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
