/// The positions of an object's members in its canonical bytes, found in one pass without building values.
///
/// It is for readers of many objects that need few members of each. It accepts a subset of ``CanonicalJSON``: it
/// rejects malformed input, and also text outside ASCII or with an escape. Use ``CanonicalJSON`` for those; it also
/// explains errors.
public struct CanonicalOutline: Sendable {
    /// A member of the object.
    public struct Member: Sendable {
        /// The range of its name, without the quotes.
        public let name: Range<Int>
        /// The range of its value, with quotes or brackets.
        public let value: Range<Int>
    }

    /// The members in canonical order.
    public let members: [Member]

    /// Finds the members of the object in `bytes`. Returns `nil` if ``CanonicalJSON`` has to parse them.
    public init?(_ bytes: [UInt8], limits: StrictJSON.Limits = StrictJSON.Limits()) {
        guard bytes.count <= limits.bytes, bytes.first == UInt8(ascii: "{") else { return nil }
        var scan = CanonicalScan(bytes: bytes, depth: limits.depth)
        guard scan.object(collecting: true), scan.place == bytes.count else { return nil }
        members = scan.members
    }
}

/// One pass over canonical JSON in plain ASCII.
private struct CanonicalScan {
    let bytes: [UInt8]
    /// How many more nested containers are allowed.
    var depth: Int
    var place = 0
    var members: [CanonicalOutline.Member] = []

    init(bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// Skips an object that starts at the position.
    mutating func object(collecting: Bool = false) -> Bool {
        guard open() else { return false }
        if collecting { members.reserveCapacity(13) }
        if take(UInt8(ascii: "}")) { return close() }
        var previous = 0..<0
        repeat {
            let start = place + 1
            guard string() else { return false }
            let name = start..<place - 1
            guard previous.isEmpty && previous.lowerBound == 0 || precedes(previous, name), take(UInt8(ascii: ":"))
            else { return false }
            previous = name
            let value = place
            guard self.value() else { return false }
            if collecting { members.append(CanonicalOutline.Member(name: name, value: value..<place)) }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) && close()
    }

    private mutating func array() -> Bool {
        guard open() else { return false }
        if take(UInt8(ascii: "]")) { return close() }
        repeat {
            guard value() else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) && close()
    }

    private mutating func value() -> Bool {
        guard place < bytes.count else { return false }
        switch bytes[place] {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        default: return integer()
        }
    }

    /// Skips a string in ASCII without escapes.
    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        var index = place
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") {
                place = index
                return true
            }
            guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else { return false }
        }
        return false
    }

    /// Skips an integer of at most 15 digits, which is always below 2^53.
    private mutating func integer() -> Bool {
        let isNegative = take(UInt8(ascii: "-"))
        let start = place
        while place < bytes.count, bytes[place] >= UInt8(ascii: "0"), bytes[place] <= UInt8(ascii: "9") { place += 1 }
        guard (1...15).contains(place - start) else { return false }
        return bytes[start] != UInt8(ascii: "0") || (place - start == 1 && !isNegative)
    }

    /// Whether one name comes before another. ASCII names are ordered by their bytes.
    private func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        var (a, b) = (left.lowerBound, right.lowerBound)
        while a < left.upperBound, b < right.upperBound {
            if bytes[a] != bytes[b] { return bytes[a] < bytes[b] }
            a += 1
            b += 1
        }
        return left.count < right.count
    }

    private mutating func open() -> Bool {
        depth -= 1
        place += 1
        return depth >= 0
    }

    private mutating func close() -> Bool {
        depth += 1
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(_ word: String) -> Bool { word.utf8.allSatisfy { take($0) } }
}
