public import Canonical

/// The answer to a request to verify the caller's address.
public struct EmailVerificationResponse: Sendable, Equatable, JSONConvertible {
    /// What was done.
    public enum Outcome: String, Sendable, CaseIterable {
        /// A mail with a link is on its way.
        case sent
        /// The address is verified already.
        case verified
    }
    /// What was done.
    public var outcome: Outcome

    /// Creates a value from its members.
    public init(outcome: Outcome) { self.outcome = outcome }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        guard let outcome = Outcome(rawValue: try reader.string("outcome")) else {
            throw reader.invalid("outcome", "sent or verified is expected")
        }
        self.outcome = outcome
    }

    /// The response as JSON.
    public var json: JSONValue { ["outcome": .string(outcome.rawValue)] }
}
