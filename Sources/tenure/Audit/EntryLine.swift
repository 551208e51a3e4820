import Canonical
import EventCoding
import FoundationEssentials
import Keys
import Ledger

/// Renders an event as an NDJSON line directly from the bytes of its entry: it inserts the position and replaces
/// encrypted personal data with its clear text.
///
/// Most events need no more, and parsing all members would cost ten times as much. For an entry that is not plain ASCII
/// of the expected form it gives up, and the caller parses the entry.
struct EntryLine {
    private let entry: StoredEntry
    private let bytes: [UInt8]
    private let keys: [UUID: PersonKey]?
    private var place = 0
    /// The end of the bytes that have been copied to the output.
    private var copied = 0
    private var pointer: [UInt8] = []
    private(set) var output: [UInt8]

    private init(_ entry: StoredEntry, _ keys: [UUID: PersonKey]?, _ output: [UInt8]) {
        self.entry = entry
        self.keys = keys
        self.output = output
        bytes = entry.bytes
    }

    /// Appends the line. Returns `false` and appends nothing if the entry must be parsed.
    ///
    /// - Parameter keys: The keys of persons by their ids; `nil` if no keys are available.
    static func append(_ entry: StoredEntry, keys: [UUID: PersonKey]?, to output: inout [UInt8]) -> Bool {
        let count = output.count
        var line = EntryLine(entry, keys, output)
        // Write in place instead of into a copy.
        output = []
        let isDone = line.write()
        output = line.output
        if !isDone { output.removeLast(output.count - count) }
        return isDone
    }

    /// The members of an entry in order, and whether each may be absent.
    private static let members: [(name: [UInt8], isOptional: Bool)] = [
        ("actor", true), ("app", true), ("causes", true), ("data", false), ("eventId", false), ("ledger", false),
        ("requestId", true), ("schema", false), ("source", true), ("stream", false), ("streamVersion", false),
        ("time", false), ("type", false),
    ].map { (Array("\"\($0.0)\":".utf8), $0.1) }
    private static let ledger = 5

    private mutating func write() -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        var isFirst = true
        for (index, member) in Self.members.enumerated() {
            let start = place
            guard isFirst || take(UInt8(ascii: ",")), take(member.name) else {
                place = start
                guard member.isOptional else { return false }
                continue
            }
            isFirst = false
            pointer = [UInt8(ascii: "/")] + member.name[1..<member.name.count - 2]
            let value = place
            guard skipValue(depth: 0) else { return false }
            // An entry must match its row, as everywhere.
            if index == Self.ledger - 1, !isUUID(value, entry.id) { return false }
            if index == Self.ledger {
                guard isUUID(value, entry.ledger.uuid) else { return false }
                copy(to: place)
                output += Array(",\"position\":\(entry.position)".utf8)
            }
        }
        guard take(UInt8(ascii: "}")), place == bytes.count else { return false }
        copy(to: place)
        output.append(0x0A)
        return true
    }

    private func isUUID(_ start: Int, _ id: UUID) -> Bool {
        place == start + 38 && bytes[start + 1..<start + 37].elementsEqual(id.lowercased.utf8)
    }

    private mutating func copy(to end: Int) {
        output += bytes[copied..<end]
        copied = end
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(_ word: [UInt8]) -> Bool {
        guard place + word.count <= bytes.count, bytes[place..<place + word.count].elementsEqual(word) else {
            return false
        }
        place += word.count
        return true
    }
}

extension EntryLine {
    private mutating func skipValue(depth: Int) -> Bool {
        guard place < bytes.count, depth < 32 else { return false }
        switch bytes[place] {
        case UInt8(ascii: "{"):
            if let sealed = SealedBytesRange(bytes, at: place) { return open(sealed) }
            return skipMembers(depth: depth)
        case UInt8(ascii: "["): return skipElements(depth: depth)
        case UInt8(ascii: "\""): return skipString()
        default: return skipWord()
        }
    }

    private mutating func skipMembers(depth: Int) -> Bool {
        place += 1
        if take(UInt8(ascii: "}")) { return true }
        let outer = pointer.count
        repeat {
            let start = place
            guard skipString(), take(UInt8(ascii: ":")) else { return false }
            pointer.append(UInt8(ascii: "/"))
            pointer += bytes[start + 1..<place - 2]
            guard skipValue(depth: depth + 1) else { return false }
            pointer.removeLast(pointer.count - outer)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    private mutating func skipElements(depth: Int) -> Bool {
        place += 1
        if take(UInt8(ascii: "]")) { return true }
        let outer = pointer.count
        var index = 0
        repeat {
            pointer += Array("/\(index)".utf8)
            guard skipValue(depth: depth + 1) else { return false }
            pointer.removeLast(pointer.count - outer)
            index += 1
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]"))
    }

    /// Skips a string in printable ASCII without escapes. Any other string requires parsing.
    private mutating func skipString() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "\\") else { return false }
        }
        return false
    }

    /// Skips a number or a literal.
    private mutating func skipWord() -> Bool {
        let start = place
        while place < bytes.count, bytes[place] == UInt8(ascii: "-") || Self.isWord(bytes[place]) { place += 1 }
        return place > start
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private mutating func open(_ range: SealedBytesRange) -> Bool {
        guard let sealed = range.value(in: bytes) else { return false }
        copy(to: place)
        var text = OpenedEvent.sealed
        if let keys {
            let opened = try? keys[sealed.key]?.open(
                sealed, ledger: entry.ledger.uuid, event: entry.id, pointer: String(decoding: pointer, as: UTF8.self))
            text = opened.map { String(decoding: $0, as: UTF8.self) } ?? OpenedEvent.erased
        }
        output += Array(JSONLines.text(.string(text)).utf8)
        place = range.end
        copied = place
        return true
    }
}

/// The range of encrypted personal data in an entry: `{"c":"…","k":"…"}`.
struct SealedBytesRange {
    private let cipherText: Range<Int>
    private let key: Range<Int>
    /// The index after the closing brace.
    let end: Int

    private static let beginning = Array(#"{"c":""#.utf8)
    private static let middle = Array(#"","k":""#.utf8)

    /// Parses the object at an index; `nil` if it is not encrypted data.
    init?(_ bytes: [UInt8], at start: Int) {
        let first = start + Self.beginning.count
        guard first <= bytes.count, bytes[start..<first].elementsEqual(Self.beginning) else { return nil }
        var place = first
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += 1 }
        let key = place + Self.middle.count
        guard key + 38 <= bytes.count, bytes[place..<key].elementsEqual(Self.middle),
            bytes[key + 36] == UInt8(ascii: "\""), bytes[key + 37] == UInt8(ascii: "}")
        else { return nil }
        cipherText = first..<place
        self.key = key..<key + 36
        end = key + 38
    }

    /// The id of the key.
    func owner(in bytes: [UInt8]) -> UUID? { UUID(lowercased: String(decoding: bytes[key], as: UTF8.self)) }

    /// The encrypted data; `nil` if it is malformed.
    func value(in bytes: [UInt8]) -> SealedPersonalData? {
        guard let owner = owner(in: bytes),
            let sealed = Base64URL.decode(String(decoding: bytes[cipherText], as: UTF8.self)), sealed.count >= 28
        else { return nil }
        return SealedPersonalData(key: owner, sealed: sealed)
    }

    /// Collects the ids of all keys in an entry.
    static func owners(_ bytes: [UInt8], into owners: inout Set<UUID>) {
        var place = 0
        while place < bytes.count {
            // `{"c` is rare, so most bytes are examined only once.
            guard bytes[place] == UInt8(ascii: "{"), let range = SealedBytesRange(bytes, at: place) else {
                place += 1
                continue
            }
            if let owner = range.owner(in: bytes) { owners.insert(owner) }
            place = range.end
        }
    }
}
