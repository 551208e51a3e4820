extension JSONParser {
    mutating func integer() throws(JSONError) -> Int64 {
        let start = position
        let negative = next == UInt8(ascii: "-")
        if negative { position += 1 }
        guard let first = next else { throw refusal(.unexpectedEnd, "a number is cut short") }
        guard isDigit(first) else { throw refusal(.unexpectedByte, "a digit is missing") }
        var magnitude: Int64 = 0
        while let byte = next, isDigit(byte) {
            // The magnitude is below 2^53 here, so ten times it and nine more fit.
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
