public import Canonical

/// The data of one event; its name and members are permanent.
public protocol EventPayload: Sendable, Equatable {
    /// The permanent name.
    static var type: String { get }
    /// The version of the members.
    static var schema: Int { get }

    /// The member `data` of the entry, with personal texts sealed.
    ///
    /// - Throws: ``EventError`` when a value does not fit its member, or what the coder throws.
    func encode(using coder: some PersonalDataCoder) throws -> JSONValue

    /// Reads the member `data` of an entry; strict, so an unknown member or a wrong size is refused.
    ///
    /// - Throws: `JSONError` with the pointer of the member, or what the coder throws.
    init(data: JSONValue, using coder: some PersonalDataCoder) throws
}

extension EventPayload {
    /// The version that all events have so far.
    public static var schema: Int { 1 }
}
