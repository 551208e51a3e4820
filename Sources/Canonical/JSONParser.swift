/// One pass over the bytes, without backing up; in canonical mode every departure from RFC 8785 is an error too.
struct JSONParser {
    enum Step {
        case member(String)
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

    /// The byte at the position, or nil at the end.
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
            if canonical { throw refusal(.nullValue, "an absent member is omitted, not null") }
            try literal("null")
            return .null
        default: throw refusal(.unexpectedByte, "no value starts like this")
        }
    }

    private mutating func literal(_ word: String) throws(JSONError) {
        let start = position
        for expected in word.utf8 {
            guard let byte = next else { throw refusal(.unexpectedEnd, "a value is cut short") }
            guard byte == expected else { throw refusal(.unexpectedByte, "no such literal", at: start) }
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
            case .member(let name): pointer = JSONError.pointer(pointer, member: name)
            case .index(let index): pointer += "/\(index)"
            }
        }
        return JSONError(code: code, offset: offset ?? position, pointer: pointer, reason: reason)
    }
}
