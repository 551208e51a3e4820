/// Parses JSON that is already in canonical form (RFC 8785) and contains no null.
///
/// An accepted text yields the same bytes again from ``JSONValue/canonicalBytes()``, so a hash over the bytes is a hash
/// over the value.
public enum CanonicalJSON {
    /// Parses one value from UTF-8.
    ///
    /// - Throws: ``JSONError`` for everything that ``StrictJSON`` refuses, for white space, members out of order and
    ///   unnecessary escapes (``JSONError/Code/notCanonical``), and for null (``JSONError/Code/nullValue``).
    public static func parse(
        _ bytes: some Collection<UInt8>, limits: StrictJSON.Limits = StrictJSON.Limits()
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(bytes, limits: limits, canonical: true)
    }
}

extension JSONValue {
    /// Returns the canonical form of this value (RFC 8785) as UTF-8.
    ///
    /// It has no white space, orders members by the UTF-16 code units of their names, and uses the shortest escapes.
    /// Numbers are integers in decimal digits. An integer outside ``integerRange`` is written unchanged, but no parser
    /// here accepts it.
    public func canonicalBytes() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        CanonicalForm.append(self, to: &output)
        return output
    }
}

enum CanonicalForm {
    static func append(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): output.append(contentsOf: String(number).utf8)
        case .string(let text): append(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            var first = true
            for element in elements {
                if !first { output.append(UInt8(ascii: ",")) }
                first = false
                append(element, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            var first = true
            for (name, member) in members.sorted(by: { precedes($0.key, $1.key) }) {
                if !first { output.append(UInt8(ascii: ",")) }
                first = false
                append(name, to: &output)
                output.append(UInt8(ascii: ":"))
                append(member, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Whether the UTF-16 code units of `left` come before those of `right` (RFC 8785 §3.2.3).
    ///
    /// UTF-8 orders like UTF-16 with one exception: the lead bytes F0…F4 stand for surrogate pairs (D800…DFFF) and come
    /// before EE and EF (E000…FFFF). If two bytes from EE up differ, both are lead bytes, so one comparison decides.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var a = left.utf8.makeIterator()
        var b = right.utf8.makeIterator()
        while true {
            guard let y = b.next() else { return false }
            guard let x = a.next() else { return true }
            if x == y { continue }
            if x >= 0xEE, y >= 0xEE, (x >= 0xF0) != (y >= 0xF0) { return x >= 0xF0 }
            return x < y
        }
    }

    static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(isPlain) {
            output.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 {
                if isPlain(byte) { output.append(byte) } else { appendEscaped(byte, to: &output) }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        default:
            output.append(contentsOf: "u00".utf8)
            output.append(contentsOf: Hex.encode(CollectionOfOne(byte)).utf8)
        }
    }
}
