public import Canonical

/// The first response of a flow, the same for everybody.
public struct FlowStartedResponse: Sendable, Equatable, JSONConvertible {
    /// The opaque handle, unpadded base64url.
    public var flow: String
    /// The exact bytes that the device signs; padded base64 on the wire.
    public var challenge: [UInt8]
    /// The salt of the challenge's subject, 32 bytes: with it a client compares whom the challenge is about.
    public var subjectSalt: [UInt8]
    /// The end of the flow's life.
    public var expiresAt: Timestamp

    /// Describes one.
    public init(
        flow: String, challenge: [UInt8], subjectSalt: [UInt8], expiresAt: Timestamp
    ) {
        self.flow = flow
        self.challenge = challenge
        self.subjectSalt = subjectSalt
        self.expiresAt = expiresAt
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        flow = try reader.string("flow")
        challenge = try reader.base64("challenge")
        subjectSalt = try reader.base64("subjectSalt")
        expiresAt = try reader.timestamp("expiresAt")
    }

    /// The response.
    public var json: JSONValue {
        [
            "flow": .string(flow), "challenge": .base64(challenge), "subjectSalt": .base64(subjectSalt),
            "expiresAt": .timestamp(expiresAt),
        ]
    }
}
