public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The log of this installation was founded. The event names the operator key and the keys that write the log.
public struct SystemFounded: EventPayload {
    /// The permanent type name of the event.
    public static let type = "SystemFounded"
    /// The public half of the operator key.
    public var operatorKey: PublicKeyBytes
    /// The check value of the keys of this log: a service with other keys refuses to start.
    public var keyCheck: Bytes32

    /// Each parameter sets the member of the same name.
    public init(
        operatorKey: PublicKeyBytes, keyCheck: Bytes32
    ) {
        self.operatorKey = operatorKey
        self.keyCheck = keyCheck
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "operatorKey": .bytes(operatorKey.bytes),
            "keyCheck": .bytes(keyCheck.bytes),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        operatorKey = try reader.key("operatorKey")
        keyCheck = try reader.bytes32("keyCheck")
        try reader.finish()
    }
}

/// The operator accepted the time of a ledger whose latest event is ahead of the clock.
///
/// From then on the ledger's events have that time until the clock has passed it. The event lies in the system ledger, in
/// the stream of the accepted ledger.
public struct LedgerTimeAccepted: EventPayload {
    /// The permanent type name of the event.
    public static let type = "LedgerTimeAccepted"
    /// The ledger.
    public var ledger: UUID
    /// The position of its latest event, at least 1.
    public var position: Int64
    /// The time of that event.
    public var time: Timestamp
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(ledger: UUID, position: Int64, time: Timestamp, by: Authority) {
        self.ledger = ledger
        self.position = position
        self.time = time
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        guard (1...JSONValue.integerRange.upperBound).contains(position) else {
            throw EventError(.invalidValue, "/data/position")
        }
        return [
            "ledger": .uuid(ledger), "position": .integer(position), "time": .timestamp(time), "by": try by.json(),
        ]
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        ledger = try reader.uuid("ledger")
        position = Int64(try reader.integer("position", 1...Int(JSONValue.integerRange.upperBound)))
        time = try reader.time("time")
        by = try reader.authority()
        try reader.finish()
    }
}
