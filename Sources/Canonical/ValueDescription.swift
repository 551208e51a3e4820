/// The JSON that a member holds, as a schema describes it.
public indirect enum ValueDescription: Sendable, Equatable {
    /// A boolean.
    case boolean
    /// An integer within a range.
    case integer(ClosedRange<Int64>)
    /// A string in a format, such as `uuid`.
    case string(format: String)
    /// One of some strings.
    case word([String])
    /// A string in unpadded base64url, with a number of bytes within a range.
    case bytes(ClosedRange<Int>)
    /// An array with a number of elements within a range.
    case array(ValueDescription, count: ClosedRange<Int>)
    /// An object of its own form, by its name.
    case object(name: String)
}

/// A member as a schema describes it.
public struct MemberDescription: Sendable, Equatable {
    /// The name of the member.
    public let name: String
    /// The JSON that it holds.
    public let value: ValueDescription
    /// Whether every object has it, from the schema version ``since`` on.
    public let isRequired: Bool
    /// The first schema version that has the member.
    public let since: Int

    @usableFromInline
    init(name: String, value: ValueDescription, isRequired: Bool, since: Int) {
        self.name = name
        self.value = value
        self.isRequired = isRequired
        self.since = since
    }

    /// A member of every schema version that may be absent.
    public init(optional name: String, _ value: ValueDescription) {
        self.init(name: name, value: value, isRequired: false, since: 1)
    }
}
