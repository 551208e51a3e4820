/// An internet domain name by IDNA 2008 (RFC 5890 to 5893), of Unicode 15.0.
///
/// Two texts name one domain if their A-labels are the same. Folded text (``TextRule/foldedText``) does not tell:
/// `straße.example` and `strasse.example` fold to one text, and are different domains with different owners.
///
/// ```swift
/// DomainName("Straße.example")?.ascii   // "xn--strae-oqa.example"
/// ```
///
/// A text is mapped before it is read: upper case, full-width forms and the like are what UTS #46 maps them to, without
/// the transitional mappings. So `ß`, `ς` and the joiners stay.
package struct DomainName: Sendable, Hashable, CustomStringConvertible {
    /// The largest number of bytes of a domain name in ASCII, without a dot at its end (RFC 1035).
    package static let maximumBytes = 253

    /// The labels in lower-case ASCII, separated by dots.
    package let ascii: String
    /// The labels as people write them: U-labels in place of A-labels.
    package let unicode: String

    /// Reads a domain name as entered; `nil` for a text that names none. White space around it is ignored, and a dot at
    /// its end is refused: no address has one.
    package init?(_ text: String) {
        guard text.utf8.count <= 4 * Self.maximumBytes, let mapped = DomainMapping.map(text) else { return nil }
        var ascii: [UInt8] = [], unicode: [UInt32] = []
        for label in mapped.split(separator: DomainMapping.dot, omittingEmptySubsequences: false) {
            guard let encoded = DomainLabel.ascii(Array(label)), let decoded = DomainLabel.unicode(encoded) else {
                return nil
            }
            if !ascii.isEmpty {
                ascii.append(UInt8(ascii: "."))
                unicode.append(DomainMapping.dot)
            }
            ascii += encoded
            unicode += decoded
            guard ascii.count <= Self.maximumBytes else { return nil }
        }
        self.ascii = String(decoding: ascii, as: UTF8.self)
        self.unicode = DomainMapping.string(unicode)
    }

    /// The canonical forms that spellings of this name have (``TextRule/foldedText``): each label as U-label or as
    /// A-label, for names with at most three U-labels; for others all labels as one or as the other.
    package var foldings: [String] {
        guard !unicode.utf8.elementsEqual(ascii.utf8) else { return [ascii] }
        let pairs = zip(unicode.split(separator: "."), ascii.split(separator: ".")).map { label, ascii in
            // A label folds alike alone and within a name, because the dot before it composes with nothing.
            let form = try? CanonicalText(String(label), maximumBytes: 4 * Self.maximumBytes).string
            return [form ?? String(ascii), String(ascii)]
        }
        let changing = pairs.indices.filter { !pairs[$0][0].utf8.elementsEqual(pairs[$0][1].utf8) }
        let choices = changing.count <= 3 ? Array(0..<(1 << changing.count)) : [0, (1 << changing.count) - 1]
        return choices.map { choice in
            var labels = pairs.map { $0[0] }
            for (bit, index) in changing.enumerated() where choice & (1 << bit) != 0 { labels[index] = pairs[index][1] }
            return labels.joined(separator: ".")
        }
    }

    /// The labels in ASCII.
    package var description: String { ascii }

    /// Whether both have the same A-labels.
    package static func == (left: DomainName, right: DomainName) -> Bool {
        left.ascii.utf8.elementsEqual(right.ascii.utf8)
    }

    /// Hashes the A-labels.
    package func hash(into hasher: inout Hasher) { hasher.combine(ascii) }
}

/// The mapping of entered domain names: that of UTS #46 without transitional processing.
enum DomainMapping {
    static let dot: UInt32 = 0x2E
    private static let ideographicStop: UInt32 = 0x3002

    /// `ß`, `ς`, and the joiners, which NFKC_Casefold would replace or remove.
    private static let kept: Set<UInt32> = [0xDF, 0x3C2, 0x200C, 0x200D]

    /// Maps a text without the white space around it; `nil` if it has a code point that no domain name is mapped from.
    static func map(_ text: String) -> [UInt32]? {
        let whiteSpace = UnicodeTables.version15.whiteSpace
        var points = text.unicodeScalars.map(\.value)[...]
        while let first = points.first, whiteSpace.contains(first) { points.removeFirst() }
        while let last = points.last, whiteSpace.contains(last) { points.removeLast() }
        // All that follows leaves ASCII as it is, but for its case.
        if points.allSatisfy({ $0 < 0x80 }) { return points.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
        guard points.allSatisfy(isMapped) else { return nil }
        return map(Array(points)).map { $0 == ideographicStop ? dot : $0 }
    }

    /// Maps code points: NFKC_Casefold of each by itself, which keeps some characters; then form NFC of all.
    static func map(_ points: [UInt32]) -> [UInt32] {
        let folding = UnicodeTables.version15.folding
        var mapped: [UInt32] = []
        for point in points {
            if kept.contains(point) {
                mapped.append(point)
            } else {
                mapped += Normalization.order(folding.map(Normalization.decompose([point])))
            }
        }
        return Normalization.compose(Normalization.order(mapped))
    }

    /// Whether a code point may be entered at all: assigned, and not disallowed by UTS #46 although NFKC_Casefold maps it.
    private static func isMapped(_ point: UInt32) -> Bool {
        let tables = UnicodeTables.version15
        guard tables.assigned.contains(point), !disallowed.contains(point) else { return false }
        let folded = tables.folding.map([point])
        if folded.isEmpty { return kept.contains(point) || ignored.contains(point) }
        guard folded.contains(where: { $0 == dot || $0 == ideographicStop }) else { return true }
        return stops.contains(point)
    }

    /// The dots that separate labels (RFC 3490, section 3.1). Others, such as `⒈` and `…`, do not.
    private static let stops: Set<UInt32> = [dot, ideographicStop, 0xFF0E, 0xFF61]

    /// Capital letters that IDNA 2003 had no small letter for, ideographs whose decompositions were corrected, and the
    /// capital `ẞ`: programs disagree whether that is `ss`, as UTS #46 said before Unicode 15.1, or `ß`.
    private static let disallowed = ScalarSet([
        0x4C0...0x4C0, 0x10A0...0x10C5, 0x1E9E...0x1E9E, 0x2132...0x2132, 0x2183...0x2183, 0x2F868...0x2F868,
        0x2F874...0x2F874, 0x2F91F...0x2F91F, 0x2F95F...0x2F95F, 0x2F9BF...0x2F9BF,
    ])

    /// Invisible code points that disappear. All others, and those that change the direction, are refused.
    private static let ignored = ScalarSet([
        0xAD...0xAD, 0x34F...0x34F, 0x180B...0x180D, 0x180F...0x180F, 0x200B...0x200B, 0x2060...0x2060,
        0x2064...0x2064, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0x1BCA0...0x1BCA3, 0xE0100...0xE01EF,
    ])

    static func string(_ points: [UInt32]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: points.compactMap(Unicode.Scalar.init))
        return text
    }
}
