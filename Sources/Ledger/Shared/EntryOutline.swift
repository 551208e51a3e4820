import Canonical
import FoundationEssentials

/// The members of an entry except its data, read from the bytes without building values.
///
/// Verification compares every event with its row, and for most events does not need the data.
struct EntryOutline: Sendable {
    let ledger: LedgerID
    let id: UUID
    let streamID: UUID
    let version: Int32
    let time: Timestamp
    /// The place after the member `ledger` and its comma. Other members always follow.
    let endOfLedger: Int
    private let bytes: [UInt8]
    private let kindRange: Range<Int>
    private let typeRange: Range<Int>

    /// The bytes of the stream's kind.
    var kind: ArraySlice<UInt8> { bytes[kindRange] }
    /// The bytes of the event's type.
    var type: ArraySlice<UInt8> { bytes[typeRange] }

    /// Parses an entry. Returns `nil` for everything that ``Entry/decode(_:at:)`` refuses, and for some entries that it
    /// accepts.
    init?(_ bytes: [UInt8]) {
        guard let outline = CanonicalOutline(bytes, limits: StrictJSON.Limits(bytes: Entry.maximumLength)) else {
            return nil
        }
        var members = EntryMembers(bytes: bytes, rest: outline.members[...])
        guard members.takeUUID("actor").isRight, members.takeUUID("app").isRight, members.takeCauses(),
            members.take("data", opening: "{") == true, let id = members.takeUUID("eventId").id,
            let ledger = members.takeUUID("ledger").id, let next = members.rest.first, members.takeRequestId(),
            members.takeInteger("schema") != nil, members.take("source", opening: "{") ?? true,
            let stream = members.takeText("stream"), let version = members.takeInteger("streamVersion"),
            let time = members.takeText("time").flatMap({ Timestamp(utf8: bytes[$0]) }),
            let type = members.takeText("type"), ASCIIName.eventType.accepts(bytes[type]), members.rest.isEmpty,
            let slash = bytes[stream].firstIndex(of: UInt8(ascii: "/")),
            ASCIIName.streamKind.accepts(bytes[stream.lowerBound..<slash]),
            let streamID = UUID(lowercasedUTF8: bytes[slash + 1..<stream.upperBound])
        else { return nil }
        self.ledger = LedgerID(ledger)
        // A quote precedes the name.
        endOfLedger = next.name.lowerBound - 1
        (self.id, self.streamID, self.version, self.time) = (id, streamID, version, time)
        (self.bytes, kindRange, typeRange) = (bytes, stream.lowerBound..<slash, type)
    }
}

/// The members of an entry, taken in their order.
private struct EntryMembers {
    let bytes: [UInt8]
    var rest: ArraySlice<CanonicalOutline.Member>

    /// An optional identifier: its value, and whether it is absent or well-formed.
    struct Identifier {
        var id: UUID?
        var isRight: Bool
    }

    /// Takes the value of the next member if it has this name.
    private mutating func next(_ name: StaticString) -> Range<Int>? {
        guard let member = rest.first, member.name.count == name.utf8CodeUnitCount,
            name.withUTF8Buffer({ bytes[member.name].elementsEqual($0) })
        else { return nil }
        rest.removeFirst()
        return member.value
    }

    private func text(_ value: Range<Int>) -> Range<Int>? {
        bytes[value.lowerBound] == UInt8(ascii: "\"") ? value.lowerBound + 1..<value.upperBound - 1 : nil
    }

    mutating func takeText(_ name: StaticString) -> Range<Int>? { next(name).flatMap(text) }

    mutating func takeUUID(_ name: StaticString) -> Identifier {
        guard let value = next(name) else { return Identifier(id: nil, isRight: true) }
        let id = text(value).flatMap { UUID(lowercasedUTF8: bytes[$0]) }
        return Identifier(id: id, isRight: id != nil)
    }

    /// Takes a member. Returns `nil` if it is absent, and otherwise whether its value starts with `opening`.
    mutating func take(_ name: StaticString, opening: Unicode.Scalar) -> Bool? {
        next(name).map { bytes[$0.lowerBound] == UInt8(ascii: opening) }
    }

    /// Takes an integer from 1 to the maximum of 32 bits.
    mutating func takeInteger(_ name: StaticString) -> Int32? {
        guard let value = next(name) else { return nil }
        var number: Int64 = 0
        for byte in bytes[value] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int64(byte & 0x0F)
        }
        return number >= 1 ? Int32(exactly: number) : nil
    }

    mutating func takeRequestId() -> Bool {
        guard let value = next("requestId") else { return true }
        return text(value).map { ASCIIName.requestId.accepts(bytes[$0]) } ?? false
    }

    /// Takes a list of at least one identifier; each has 38 characters, and commas separate them.
    mutating func takeCauses() -> Bool {
        guard let value = next("causes") else { return true }
        guard bytes[value.lowerBound] == UInt8(ascii: "["), value.count >= 40, (value.count - 1) % 39 == 0 else {
            return false
        }
        return stride(from: value.lowerBound + 1, to: value.upperBound, by: 39).allSatisfy { start in
            bytes[start] == UInt8(ascii: "\"") && UUID(lowercasedUTF8: bytes[start + 1..<start + 37]) != nil
                && bytes[start + 37] == UInt8(ascii: "\"")
        }
    }
}
