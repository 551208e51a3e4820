/// One label of a domain name by IDNA 2008: what a registry may register (RFC 5890 to 5893).
enum DomainLabel {
    /// The largest number of bytes of a label (RFC 1034).
    static let maximumBytes = 63
    /// What an A-label begins with.
    static let prefix = Array("xn--".utf8)

    private static let hyphen: UInt32 = 0x2D

    /// Returns a mapped label in ASCII; `nil` if it is neither an NR-LDH label, nor an A-label, nor a U-label.
    static func ascii(_ label: [UInt32]) -> [UInt8]? {
        guard !label.isEmpty, label.first != hyphen, label.last != hyphen else { return nil }
        let ascii = label.filter { $0 < 0x80 }.map { UInt8($0) }
        guard ascii.count == label.count else {
            guard isUnicodeLabel(label), let encoded = Punycode.encode(label) else { return nil }
            return short(prefix + encoded)
        }
        guard ascii.allSatisfy(isLetterDigitOrHyphen) else { return nil }
        guard hasHyphensInThirdAndFourth(label) else { return short(ascii) }
        return unicode(ascii) == nil ? nil : short(ascii)
    }

    /// Returns the code points of a label in ASCII: those of the U-label if it is an A-label, otherwise its own. `nil`
    /// for a label that looks like an A-label and is none.
    static func unicode(_ label: [UInt8]) -> [UInt32]? {
        let points = label.map { UInt32($0) }
        guard hasHyphensInThirdAndFourth(points) else { return points }
        // An A-label is the one spelling of its U-label: what decodes to something else, or to ASCII, is refused.
        guard label.starts(with: prefix), let decoded = Punycode.decode(Array(label.dropFirst(prefix.count))),
            decoded.contains(where: { $0 >= 0x80 }), decoded.first != hyphen, decoded.last != hyphen,
            isUnicodeLabel(decoded), DomainMapping.map(decoded) == decoded,
            Punycode.encode(decoded).map({ prefix + $0 }) == label
        else { return nil }
        return decoded
    }

    private static func short(_ label: [UInt8]) -> [UInt8]? { label.count <= maximumBytes ? label : nil }

    private static func isLetterDigitOrHyphen(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }

    private static func hasHyphensInThirdAndFourth(_ label: [UInt32]) -> Bool {
        label.count >= 4 && label[2] == hyphen && label[3] == hyphen
    }

    /// The rules of RFC 5891, sections 4.2 and 5.4, for a label with code points beyond ASCII.
    private static func isUnicodeLabel(_ label: [UInt32]) -> Bool {
        let tables = IDNATables.version15
        guard !hasHyphensInThirdAndFourth(label), let first = label.first, !tables.marks.contains(first) else {
            return false
        }
        for (index, point) in label.enumerated() where !tables.valid.contains(point) {
            guard isInContext(index, label, tables) else { return false }
        }
        return followsBidiRule(label, tables)
    }
}

/// The contextual rules (RFC 5892, appendix A).
extension DomainLabel {
    private static func isInContext(_ index: Int, _ label: [UInt32], _ tables: IDNATables) -> Bool {
        let before = index > 0 ? label[index - 1] : nil
        let after = index + 1 < label.count ? label[index + 1] : nil
        switch label[index] {
        case 0x200C: return isAfterVirama(before) || joinsBothSides(index, label, tables)
        case 0x200D: return isAfterVirama(before)
        case 0xB7: return before == 0x6C && after == 0x6C
        case 0x375: return after.flatMap(tables.script) == .greek
        case 0x5F3, 0x5F4: return before.flatMap(tables.script) == .hebrew
        case 0x30FB: return label.contains { tables.script($0) == .japanese }
        case 0x660...0x669: return !label.contains { (0x6F0...0x6F9).contains($0) }
        case 0x6F0...0x6F9: return !label.contains { (0x660...0x669).contains($0) }
        default: return false
        }
    }

    private static func isAfterVirama(_ before: UInt32?) -> Bool {
        before.map { UnicodeTables.version15.combiningClass($0) == 9 } ?? false
    }

    private static func joinsBothSides(_ index: Int, _ label: [UInt32], _ tables: IDNATables) -> Bool {
        let before = label[..<index].last { tables.joining($0) != .transparent }.flatMap(tables.joining)
        let after = label[(index + 1)...].first { tables.joining($0) != .transparent }.flatMap(tables.joining)
        return (before == .left || before == .dual) && (after == .right || after == .dual)
    }
}

/// The Bidi rule (RFC 5893, section 2) for one label, as RFC 5891 asks for it: if the label has a code point that is
/// written from right to left.
extension DomainLabel {
    private static func followsBidiRule(_ label: [UInt32], _ tables: IDNATables) -> Bool {
        let classes = label.map(tables.bidi)
        guard classes.contains(where: { $0 == .right || $0 == .arabicLetter || $0 == .arabicNumber }) else {
            return true
        }
        let last = classes.last { $0 != .nonspacingMark }
        switch classes.first {
        case .right, .arabicLetter:
            let hasBothNumbers = classes.contains(.europeanNumber) && classes.contains(.arabicNumber)
            let ends = last == .right || last == .arabicLetter || last == .europeanNumber || last == .arabicNumber
            return ends && !hasBothNumbers && !classes.contains(.left)
        case .left:
            // Reached only by a label that mixes both directions, which such a label must not.
            return false
        default: return false
        }
    }
}
