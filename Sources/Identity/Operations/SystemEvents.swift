public import Canonical

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
