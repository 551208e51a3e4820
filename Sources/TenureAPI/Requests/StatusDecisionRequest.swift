public import Canonical

/// The body of `/approval`, `/cancellation` and `/reinstatement`.
public struct StatusDecisionRequest: Sendable, Equatable, JSONConvertible {
    /// A note in words, at most 1,024 bytes of UTF-8.
    public var note: String?

    /// Describes a decision.
    public init(note: String? = nil) { self.note = note }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        note = try reader.optionalString("note")
        if let note, note.utf8.count > 1024 { throw reader.invalid("note", "at most 1,024 bytes are expected") }
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { .objectOmittingNil(["note": note.map(JSONValue.string)]) }
}
