import Canonical
import EventCoding
import FoundationEssentials
import Keys
import Ledger

/// The line of one event, made from its stored bytes without parsing them into values.
///
/// A stored entry is canonical JSON, and so is the line. They differ in the position, and in personal texts that are
/// shown in place of encrypted ones. An entry with text outside ASCII is left to ``OpenedEvent``, which is slower.
struct EntryLine: Sendable {
    /// An encrypted text of the entry.
    private struct SealedText: Sendable {
        let range: Range<Int>
        let pointer: String
        let data: SealedPersonalData
    }

    private let entry: CodedEntry
    private let placeOfPosition: Int
    private let sealed: [SealedText]

    /// Finds what the line has in other words than the entry. `nil` if the entry has to be parsed.
    init?(_ entry: CodedEntry) {
        guard let place = entry.placeOfPosition else { return nil }
        let (isPlain, hasSealed) = Self.look(at: entry.bytes)
        guard isPlain else { return nil }
        var search = SealedSearch(bytes: entry.bytes)
        if hasSealed { search.value(at: 0) }
        self.entry = entry
        placeOfPosition = place
        sealed = search.found.map { SealedText(range: $0.range, pointer: $0.pointer, data: $0.data) }
    }

    /// The ids of the keys under which texts are encrypted.
    var owners: some Sequence<UUID> { sealed.lazy.map(\.data.key) }

    /// Appends the line, with a line feed.
    ///
    /// - Parameter keys: The person keys of the ledger by their ids, or `nil` if there are none.
    func append(to output: inout [UInt8], _ keys: [UUID: PersonKey]?) {
        let bytes = entry.bytes
        // Sealed texts before the position are those of `data`.
        var place = 0
        func copy(to end: Int) {
            output.append(contentsOf: bytes[place..<end])
            place = end
        }
        var isPositioned = false
        func position(before end: Int) {
            guard !isPositioned, placeOfPosition <= end else { return }
            copy(to: placeOfPosition)
            output.append(contentsOf: "\"position\":\(entry.position),".utf8)
            isPositioned = true
        }
        for text in sealed {
            position(before: text.range.lowerBound)
            copy(to: text.range.lowerBound)
            output.append(contentsOf: JSONLines.text(.string(opened(text, keys))).utf8)
            place = text.range.upperBound
        }
        position(before: bytes.count)
        copy(to: bytes.count)
        output.append(UInt8(ascii: "\n"))
    }

    private func opened(_ text: SealedText, _ keys: [UUID: PersonKey]?) -> String {
        guard let keys else { return OpenedEvent.sealed }
        let bytes = try? keys[text.data.key]?.open(
            text.data, ledger: entry.ledger.uuid, event: entry.id, pointer: text.pointer)
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? OpenedEvent.erased
    }

    /// Looks for what the terminal must not get, and for the beginning of an encrypted text.
    private static func look(at bytes: [UInt8]) -> (isPlain: Bool, hasSealed: Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var hasSealed = false
            for index in bytes.indices {
                if bytes[index] == 0x7F { return (false, false) }
                guard bytes[index] == UInt8(ascii: "{"), !hasSealed, bytes.count - index > 5 else { continue }
                hasSealed =
                    bytes[index + 1] == UInt8(ascii: "\"") && bytes[index + 2] == UInt8(ascii: "c")
                    && bytes[index + 3] == UInt8(ascii: "\"")
            }
            return (true, hasSealed)
        }
    }
}

/// Finds the encrypted texts of canonical JSON in ASCII without escapes.
private struct SealedSearch {
    /// A step from a container to a value. It owns nothing: few values are encrypted texts, whose pointer is needed.
    private enum Step {
        /// A member, by the place of its name.
        case member(Range<Int>)
        case element(Int)
    }

    private let bytes: [UInt8]
    private var path: [Step] = []
    private(set) var found: [(range: Range<Int>, pointer: String, data: SealedPersonalData)] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Searches the value at a place. Returns the place after it.
    @discardableResult mutating func value(at start: Int) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "\""): return end(ofString: start)
        case UInt8(ascii: "{"): return object(at: start)
        case UInt8(ascii: "["): return array(at: start)
        default:
            var place = start
            while place < bytes.count, !isEnd(bytes[place]) { place += 1 }
            return place
        }
    }

    /// Whether a byte ends a number or a literal.
    private func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
    }

    private func end(ofString start: Int) -> Int {
        var place = start + 1
        while place < bytes.count - 1, bytes[place] != UInt8(ascii: "\"") { place += 1 }
        return place + 1
    }

    private mutating func object(at start: Int) -> Int {
        var place = start + 1
        guard bytes[place] != UInt8(ascii: "}") else { return place + 1 }
        var isLikeSealed = true, members = 0
        let before = found.count
        while true {
            let nameEnd = end(ofString: place), name = place + 1..<nameEnd - 1
            isLikeSealed =
                isLikeSealed && members < 2 && name.count == 1
                && bytes[name.lowerBound] == (members == 0 ? UInt8(ascii: "c") : UInt8(ascii: "k"))
            members += 1
            path.append(.member(name))
            place = value(at: nameEnd + 1)
            path.removeLast()
            guard bytes[place] == UInt8(ascii: ",") else { break }
            place += 1
        }
        let end = place + 1
        // Whatever else has these two members is no encrypted text.
        guard isLikeSealed, members == 2, found.count == before,
            let value = try? CanonicalJSON.parse(bytes[start..<end]), let data = try? SealedPersonalData(value)
        else { return end }
        found.append((start..<end, pointer, data))
        return end
    }

    private mutating func array(at start: Int) -> Int {
        var place = start + 1, index = 0
        guard bytes[place] != UInt8(ascii: "]") else { return place + 1 }
        while true {
            path.append(.element(index))
            place = value(at: place)
            path.removeLast()
            guard bytes[place] == UInt8(ascii: ",") else { return place + 1 }
            place += 1
            index += 1
        }
    }

    /// The JSON pointer of the present value.
    private var pointer: String {
        path.reduce(into: "") { pointer, step in
            switch step {
            case .member(let name): pointer += "/" + String(decoding: bytes[name], as: UTF8.self)
            case .element(let index): pointer += "/\(index)"
            }
        }
    }
}
