public import Canonical

/// The body of `POST /v1/…/{flow}/passphrase`.
public struct PassphraseRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The passphrase as entered.
    public var passphrase: String

    /// Describes a passphrase.
    public init(passphrase: String) { self.passphrase = passphrase }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        passphrase = try reader.string("passphrase")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { ["passphrase": .string(passphrase)] }

    /// Never the passphrase.
    public var description: String { "[redacted]" }
}
