public import Canonical

/// The body of `POST /v1/companies/{companyName}/reclaimed-emails`.
public struct EmailReclaimRequest: Sendable, Equatable, JSONConvertible {
    /// The address to take back.
    public var email: String
    /// Why.
    public var reason: String

    /// Describes a reclaim.
    public init(email: String, reason: String) {
        self.email = email
        self.reason = reason
    }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        email = try reader.string("email")
        reason = try reader.string("reason")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { ["email": .string(email), "reason": .string(reason)] }
}
