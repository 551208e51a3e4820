public import Canonical

/// The body of `POST /v1/credentials/changes/{flow}/credentials`.
public struct CredentialsChangeRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The old secret.
    public enum Current: Sendable, Equatable {
        /// At least three answers to the questions that were shown.
        case answers([AnswersRequest.Answer])
        /// The passphrase.
        case passphrase(String)
    }

    /// The old secret.
    public var current: Current
    /// The new credentials.
    public var credentials: CredentialsRequest

    /// Describes a change.
    public init(current: Current, credentials: CredentialsRequest) {
        self.current = current
        self.credentials = credentials
    }

    /// Reads a request; unknown members are refused, and so are two old secrets or none.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        let answers: [AnswersRequest.Answer]? = try reader.optionalWire("currentAnswers")
        let passphrase = try reader.optionalString("currentPassphrase")
        switch (answers, passphrase) {
        case (let answers?, nil): current = .answers(answers)
        case (nil, let passphrase?): current = .passphrase(passphrase)
        default: throw reader.invalid("currentAnswers", "either current answers or the current passphrase is expected")
        }
        credentials = try reader.wire("credentials")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue {
        switch current {
        case .answers(let answers): ["currentAnswers": answers.json, "credentials": credentials.json]
        case .passphrase(let text): ["currentPassphrase": .string(text), "credentials": credentials.json]
        }
    }

    /// Never the secrets.
    public var description: String { "[redacted]" }
}
