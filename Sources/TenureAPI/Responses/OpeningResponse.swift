public import Canonical

/// What a client needs to open a credential in blind mode.
public struct OpeningResponse: Sendable, Equatable, JSONConvertible {
    /// The opening context, 240 or 289 bytes; padded base64 on the wire.
    public var context: [UInt8]
    /// The hash of the credential's record, 32 bytes.
    public var recordHash: [UInt8]

    /// Describes one.
    public init(context: [UInt8], recordHash: [UInt8]) {
        self.context = context
        self.recordHash = recordHash
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        context = try reader.base64("context")
        recordHash = try reader.base64("recordHash")
    }

    /// The response.
    public var json: JSONValue { ["context": .base64(context), "recordHash": .base64(recordHash)] }
}
