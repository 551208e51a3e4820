extension JSONParser {
    /// Parses a string, from its opening to its closing quote.
    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        try skipPlain()
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return String(decoding: text, as: UTF8.self)
            }
            try escape(into: &text)
            let run = position
            try skipPlain()
            text.append(contentsOf: bytes[run..<position])
        }
        throw refusal(.unexpectedEnd, "a string is not closed")
    }

    /// Skips well-formed UTF-8 without control characters, up to the next quote, backslash or the end.
    private mutating func skipPlain() throws(JSONError) {
        while let byte = next {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            if byte < 0x20 {
                throw refusal(byte == 0 ? .nul : .controlCharacter, "a control character must be escaped")
            }
            position += byte < 0x80 ? 1 : try sequenceLength(lead: byte)
        }
    }

    /// Returns the length of the multi-byte sequence at the position (The Unicode Standard, table 3-7).
    private func sequenceLength(lead: UInt8) throws(JSONError) -> Int {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: throw refusal(.invalidUTF8, "not UTF-8")
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
            throw refusal(.invalidUTF8, "not UTF-8")
        }
        for index in 2..<max(2, length) where bytes[position + index] & 0xC0 != 0x80 {
            throw refusal(.invalidUTF8, "not UTF-8")
        }
        return length
    }

    /// Parses the escape at a backslash.
    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        guard position + 1 < bytes.count else { throw refusal(.unexpectedEnd, "the text ends inside an escape") }
        let kind = bytes[position + 1]
        position += 2
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(kind)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "/"):
            if canonical { throw refusal(.notCanonical, "an escape that canonical JSON does not use", at: start) }
            text.append(kind)
        case UInt8(ascii: "u"): try unicodeEscape(from: start, into: &text)
        default: throw refusal(.invalidEscape, "not a JSON escape", at: start)
        }
    }

    private mutating func unicodeEscape(from start: Int, into text: inout [UInt8]) throws(JSONError) {
        var value = UInt32(try hexUnit(from: start))
        if (0xD800..<0xDC00).contains(value) {
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { throw refusal(.loneSurrogate, "a surrogate without its pair", at: start) }
            position += 2
            let low = UInt32(try hexUnit(from: position - 2))
            guard (0xDC00..<0xE000).contains(low) else {
                throw refusal(.loneSurrogate, "a surrogate without its pair", at: start)
            }
            value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
        }
        guard value != 0 else { throw refusal(.nul, "U+0000 is not allowed", at: start) }
        guard let scalar = Unicode.Scalar(value) else {
            throw refusal(.loneSurrogate, "a surrogate without its pair", at: start)
        }
        if canonical { try checkNeeded(scalar, from: start) }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Checks the canonical form: only control characters without a short escape are written as `\u`, in lower-case
    /// hexadecimal.
    private func checkNeeded(_ scalar: Unicode.Scalar, from start: Int) throws(JSONError) {
        let short = (0x08...0x0A).contains(scalar.value) || scalar.value == 0x0C || scalar.value == 0x0D
        let upper = bytes[start..<position].contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
        guard scalar.value < 0x20, !short, !upper else {
            throw refusal(.notCanonical, "an escape that canonical JSON does not use", at: start)
        }
    }

    private mutating func hexUnit(from start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw refusal(.unexpectedEnd, "the text ends inside an escape") }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw refusal(.invalidEscape, "an escape needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
