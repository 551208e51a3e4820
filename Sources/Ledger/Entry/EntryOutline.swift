import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What surrounds the data of an entry, read from its bytes without making values of the rest.
///
/// Verification holds every event against its row, and needs what most events say in detail not at all.
struct EntryOutline: Sendable {
    let ledger: LedgerID
    let id: UUID
    let streamID: UUID
    let version: Int32
    let time: Timestamp
    private let bytes: [UInt8]
    private let kindRange: Range<Int>
    private let typeRange: Range<Int>

    /// The characters of the kind of stream.
    var kind: ArraySlice<UInt8> { bytes[kindRange] }
    /// The characters of the type of event.
    var type: ArraySlice<UInt8> { bytes[typeRange] }

    /// Reads an entry; nil for what ``Entry/decode(_:at:)`` refuses, and for some that it accepts.
    init?(_ bytes: [UInt8]) {
        guard let outline = CanonicalOutline(bytes, limits: StrictJSON.Limits(bytes: Entry.maximumLength)) else {
            return nil
        }
        var members = EntryMembers(bytes: bytes, rest: outline.members[...])
        guard members.takeUUID("actor").isRight, members.takeUUID("app").isRight, members.takeCauses(),
            members.take("data", opening: "{") == true, let id = members.takeUUID("eventId").id,
            let ledger = members.takeUUID("ledger").id, members.takeRequestId(),
            members.takeInteger("schema") != nil, members.take("source", opening: "{") ?? true,
            let stream = members.takeText("stream"), let version = members.takeInteger("streamVersion"),
            let time = members.takeText("time").flatMap({ Timestamp(utf8: bytes[$0]) }),
            let type = members.takeText("type"), ASCIIName.eventType.accepts(bytes[type]), members.rest.isEmpty,
            let slash = bytes[stream].firstIndex(of: UInt8(ascii: "/")),
            ASCIIName.streamKind.accepts(bytes[stream.lowerBound..<slash]),
            let streamID = UUID(lowercasedUTF8: bytes[slash + 1..<stream.upperBound])
        else { return nil }
        self.ledger = LedgerID(ledger)
        (self.id, self.streamID, self.version, self.time) = (id, streamID, version, time)
        (self.bytes, kindRange, typeRange) = (bytes, stream.lowerBound..<slash, type)
    }
}

/// The members of an entry, taken in their order.
private struct EntryMembers {
    let bytes: [UInt8]
    var rest: ArraySlice<CanonicalOutline.Member>

    /// An identifier that may be absent: its value, and whether it is absent or well-formed.
    struct Identifier {
        var id: UUID?
        var isRight: Bool
    }

    /// The value of the next member, when it has this name.
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

    /// Takes a member; nil when it is absent, otherwise whether its value starts so.
    mutating func take(_ name: StaticString, opening: Unicode.Scalar) -> Bool? {
        next(name).map { bytes[$0.lowerBound] == UInt8(ascii: opening) }
    }

    /// An integer from 1 that fits into 32 bits.
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

    /// Identifiers in brackets, at least one; each takes 38 characters and a comma.
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
