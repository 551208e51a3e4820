/// Parses JSON (RFC 8259) that is unambiguous (I-JSON, RFC 7493) and whose numbers are integers.
///
/// It refuses duplicate member names, also with different escapes; U+0000; lone surrogates; bytes that are not UTF-8; a
/// byte order mark; anything after the value; numbers with a fraction, an exponent or a leading zero, negative zero,
/// and integers of 2^53 or more in magnitude; nesting and size above the limits. Canonically equivalent names count as
/// duplicates, because a dictionary of strings would keep only one of them.
public enum StrictJSON {
    /// Limits on the size and nesting of a text.
    public struct Limits: Sendable, Equatable {
        /// The greatest depth that limits can allow, so that no document exhausts a thread's stack.
        public static let greatestDepth = 128

        /// The greatest number of bytes.
        public let bytes: Int
        /// The greatest nesting of arrays and objects, at most ``greatestDepth``.
        public let depth: Int

        /// Limits of `bytes` and `depth`. A depth above ``greatestDepth`` is lowered to it.
        public init(bytes: Int = 65_536, depth: Int = 32) {
            self.bytes = bytes
            self.depth = min(depth, Self.greatestDepth)
        }
    }

    /// Parses one value from UTF-8.
    ///
    /// - Throws: ``JSONError`` with the offset and the pointer of the first refused byte.
    public static func parse(
        _ bytes: some Collection<UInt8>, limits: Limits = Limits()
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(bytes, limits: limits, canonical: false)
    }
}

/// Parses bytes in one pass without backtracking. In canonical mode every deviation from RFC 8785 is an error too.
struct JSONParser {
    /// A step of the path to the present value. It owns nothing: only a refusal needs the name itself.
    enum Step {
        /// A member, by the place of its name's opening quote.
        case member(Int)
        case index(Int)
    }

    let bytes: [UInt8]
    let limits: StrictJSON.Limits
    let canonical: Bool
    var position = 0
    var path: [Step] = []

    static func parse(
        _ source: some Collection<UInt8>, limits: StrictJSON.Limits, canonical: Bool
    ) throws(JSONError) -> JSONValue {
        guard source.count <= limits.bytes else {
            throw JSONError(
                code: .tooLarge, offset: max(0, limits.bytes), pointer: "", reason: "more than \(limits.bytes) bytes")
        }
        var parser = JSONParser(bytes: Array(source), limits: limits, canonical: canonical)
        if parser.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw parser.refusal(.byteOrderMark, "a byte order mark is not allowed")
        }
        try parser.skipSpace()
        let value = try parser.value()
        try parser.skipSpace()
        guard parser.position == parser.bytes.count else {
            throw parser.refusal(.trailingBytes, "nothing may follow the value")
        }
        return value
    }

    /// The byte at the position, or `nil` at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func value() throws(JSONError) -> JSONValue {
        guard let byte = next else { throw refusal(.unexpectedEnd, "a value is missing") }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .integer(try integer())
        case UInt8(ascii: "t"):
            try literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            if canonical { throw refusal(.nullValue, "null is not accepted; omit the member") }
            try literal("null")
            return .null
        default: throw refusal(.unexpectedByte, "no JSON value starts with this byte")
        }
    }

    private mutating func literal(_ word: String) throws(JSONError) {
        let start = position
        for expected in word.utf8 {
            guard let byte = next else { throw refusal(.unexpectedEnd, "the text ends inside a value") }
            guard byte == expected else {
                throw refusal(.unexpectedByte, "not a JSON literal; true, false and null are", at: start)
            }
            position += 1
        }
    }

    mutating func skipSpace() throws(JSONError) {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            if canonical { throw refusal(.notCanonical, "white space between tokens") }
            position += 1
        }
    }

    func refusal(_ code: JSONError.Code, _ reason: String, at offset: Int? = nil) -> JSONError {
        var pointer = ""
        for step in path {
            switch step {
            case .member(let start): pointer = JSONError.pointer(pointer, member: name(at: start))
            case .index(let index): pointer += "/\(index)"
            }
        }
        return JSONError(code: code, offset: offset ?? position, pointer: pointer, reason: reason)
    }

    /// A name that was read before.
    private func name(at start: Int) -> String {
        var parser = self
        parser.position = start
        return (try? parser.string()) ?? ""
    }
}

extension JSONParser {
    mutating func array() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            path.append(.index(elements.count))
            try skipSpace()
            elements.append(try value())
            try skipSpace()
            path.removeLast()
            if try isLast(closing: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    mutating func object() throws(JSONError) -> JSONValue {
        try enter()
        var members: [String: JSONValue] = [:]
        if next == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        // The number of an entry's members, and about that of its data. Growing step by step would hash every name again
        // at each step. A stranger's text gets no more room than it fills.
        if path.isEmpty { members.reserveCapacity(13) } else if canonical { members.reserveCapacity(6) }
        var previous: Name?
        while true {
            try skipSpace()
            let name = try memberName()
            path.append(.member(name.start))
            let isInOrder = previous.map { precedes($0, name) } ?? true
            // An ASCII name that is in order cannot be a duplicate, because equivalent names come after it.
            if !canonical || !isInOrder || !name.isASCII {
                guard members.index(forKey: name.text) == nil else {
                    throw refusal(.duplicateMember, "a member is given twice", at: name.start)
                }
            }
            if canonical, !isInOrder { throw refusal(.notCanonical, "members are not in order", at: name.start) }
            previous = name
            members[name.text] = try value()
            try skipSpace()
            path.removeLast()
            if try isLast(closing: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    /// The name of a member.
    private struct Name {
        let text: String
        /// The place of the opening quote.
        let start: Int
        /// The bytes between the quotes, if there is no escape.
        let plain: Range<Int>?
        let isASCII: Bool
    }

    /// Whether one name comes before another in canonical order.
    private func precedes(_ left: Name, _ right: Name) -> Bool {
        guard let a = left.plain, let b = right.plain, left.isASCII, right.isASCII else {
            return CanonicalForm.precedes(left.text, right.text)
        }
        for (x, y) in zip(a, b) where bytes[x] != bytes[y] { return bytes[x] < bytes[y] }
        return a.count < b.count
    }

    /// Parses a name, the colon after it and the surrounding white space.
    private mutating func memberName() throws(JSONError) -> Name {
        guard let byte = next else { throw refusal(.unexpectedEnd, "a member name is missing") }
        guard byte == UInt8(ascii: "\"") else { throw refusal(.unexpectedByte, "a member name starts with a quote") }
        let start = position, text = try string(), end = position
        try skipSpace()
        guard let colon = next else { throw refusal(.unexpectedEnd, "a colon is missing") }
        guard colon == UInt8(ascii: ":") else { throw refusal(.unexpectedByte, "a colon is missing") }
        position += 1
        try skipSpace()
        let count = text.utf8.count
        // Without an escape, the text has as many bytes as there are between the quotes.
        let plain = end - start - 2 == count ? start + 1..<end - 1 : nil
        let isASCII = plain.map { range in range.allSatisfy { bytes[$0] < 0x80 } } ?? text.utf8.allSatisfy { $0 < 0x80 }
        return Name(text: text, start: start, plain: plain, isASCII: isASCII)
    }

    /// Consumes an opening bracket and the white space after it.
    ///
    /// The path has a step for each enclosing container, so its length is the depth minus one.
    private mutating func enter() throws(JSONError) {
        guard path.count < limits.depth else {
            throw refusal(.tooDeep, "nested deeper than \(limits.depth)")
        }
        position += 1
        try skipSpace()
    }

    /// Consumes a comma (returns `false`) or the closing bracket (returns `true`).
    private mutating func isLast(closing: UInt8) throws(JSONError) -> Bool {
        guard let byte = next else { throw refusal(.unexpectedEnd, "an array or object is not closed") }
        guard byte == closing || byte == UInt8(ascii: ",") else {
            throw refusal(.unexpectedByte, "a comma or a closing bracket is missing")
        }
        position += 1
        return byte == closing
    }
}

extension JSONParser {
    mutating func integer() throws(JSONError) -> Int64 {
        let start = position
        let negative = next == UInt8(ascii: "-")
        if negative { position += 1 }
        guard let first = next else { throw refusal(.unexpectedEnd, "the text ends inside a number") }
        guard isDigit(first) else { throw refusal(.unexpectedByte, "a digit is missing") }
        var magnitude: Int64 = 0
        while let byte = next, isDigit(byte) {
            // The magnitude is below 2^53, so ten times it plus nine does not overflow.
            magnitude = magnitude * 10 + Int64(byte - UInt8(ascii: "0"))
            guard JSONValue.integerRange.contains(magnitude) else {
                throw refusal(.integerOutOfRange, "an integer of 2^53 or more in magnitude", at: start)
            }
            position += 1
        }
        let digits = position - start - (negative ? 1 : 0)
        if let byte = next, byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
            throw refusal(.notAnInteger, "a fraction or an exponent", at: start)
        }
        if first == UInt8(ascii: "0"), digits > 1 || negative {
            throw refusal(.notAnInteger, "a leading zero or negative zero", at: start)
        }
        return negative ? -magnitude : magnitude
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}

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
