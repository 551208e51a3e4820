/// A value that is one flat JSON object.
public protocol FlatObject: Sendable {
    /// What its members need besides the JSON; `Void` for nothing.
    associatedtype Context
    /// The declaration of its members, from which reading, writing and description come.
    static var members: MemberTable<Self, Context> { get }
}

/// The members of a flat JSON object, declared once.
///
/// ```swift
/// struct Berth: FlatObject {
///     var harbour: UUID
///     var name: String
///     var note: String?
///
///     static let members = MemberTable<Berth, Void>(
///         "Berth", Berth.init,
///         Member("harbourId", \.harbour), Member("name", \.name), Member(optional: "note", \.note))
/// }
/// ```
///
/// The members stand in the order of the initialiser's parameters. The compiler finds a wrong order only if the types
/// differ, so a test of every table has to read an object whose members all differ.
public struct MemberTable<Object, Context>: Sendable {
    /// The name of the object's form, such as the type of an event.
    public let name: String
    /// The schema versions that can be read.
    public let schemas: ClosedRange<Int>
    /// The members in order.
    public let members: [MemberDescription]
    @usableFromInline let make: @Sendable (inout ObjectReading, Context) throws -> Object
    @usableFromInline let fill: @Sendable (Object, inout ObjectWriting, Context) throws -> Void

    /// Declares the members of an object.
    ///
    /// - Parameters:
    ///   - schemas: The schema versions that can be read. A member with a later `since` is unknown in older ones.
    ///   - make: The initialiser, whose parameters are the members in order.
    @inlinable
    public init<each Value>(
        _ name: String, schemas: ClosedRange<Int> = 1...1, _ make: @escaping @Sendable (repeat each Value) -> Object,
        _ members: repeat Member<Object, Context, each Value>
    ) {
        let rows = (repeat each members)
        var descriptions: [MemberDescription] = []
        for row in repeat each rows { descriptions += row.descriptions }
        self.name = name
        self.schemas = schemas
        self.members = descriptions
        self.make = { object, context in
            make(repeat try (each rows).read(&object, context))
        }
        fill = { value, object, context in
            for row in repeat each rows { try row.write(value, &object, context) }
        }
    }

    /// Reads an object strictly: an unknown or missing member, or one of another type, is an error.
    ///
    /// - Parameters:
    ///   - pointer: The place of the object, as a JSON pointer.
    ///   - schema: The schema version that the object was written in.
    ///   - ignoresUnknown: Whether members that no row names are ignored.
    /// - Throws: ``JSONError`` with the pointer of the member, and what members throw that need the context.
    public func read(
        _ json: JSONValue, at pointer: String = "", schema: Int = 1, context: Context, ignoresUnknown: Bool = false
    ) throws -> Object {
        var object = try ObjectReading(json, at: pointer, schema: schema)
        let value = try make(&object, context)
        if !ignoresUnknown, !object.isRead { throw object.unknown(besides: members) }
        return value
    }

    /// Writes an object as JSON. Absent members are left out.
    ///
    /// - Throws: ``JSONError`` if a value does not fit its member, and what members throw that need the context.
    public func write(
        _ value: Object, at pointer: String = "", schema: Int = 1, context: Context
    ) throws -> JSONValue {
        var object = ObjectWriting(pointer: pointer, schema: schema, capacity: members.count)
        try fill(value, &object, context)
        return .object(object.members)
    }

    @usableFromInline
    func read(_ object: inout ObjectReading, _ context: Context) throws -> Object { try make(&object, context) }

    @usableFromInline
    func write(_ value: Object, _ object: inout ObjectWriting, _ context: Context) throws {
        try fill(value, &object, context)
    }
}

extension FlatObject where Context == Void {
    /// The object as a member of another.
    public static var memberKind: MemberKind<Self> {
        let table = members
        return MemberKind(.object(name: table.name)) { (json, place) throws(JSONError) in
            try table.checked { try $0.read(json, at: place.pointer, schema: place.schema, context: ()) }
        } write: { (value, place) throws(JSONError) in
            try table.checked { try $0.write(value, at: place.pointer, schema: place.schema, context: ()) }
        }
    }
}

extension MemberTable where Context == Void {
    /// Reads an object of one schema version strictly, or ignores members that no row names.
    public func read(
        _ json: JSONValue, at pointer: String = "", ignoresUnknown: Bool = false
    ) throws(JSONError) -> Object {
        try checked { try $0.read(json, at: pointer, context: (), ignoresUnknown: ignoresUnknown) }
    }

    /// Writes an object of one schema version as JSON. Absent members are left out.
    public func write(_ value: Object, at pointer: String = "") throws(JSONError) -> JSONValue {
        try checked { try $0.write(value, at: pointer, context: ()) }
    }

    /// Runs a body whose errors are all of JSON, because no member needs a context.
    fileprivate func checked<Result>(_ body: (Self) throws -> Result) throws(JSONError) -> Result {
        do {
            return try body(self)
        } catch let error as JSONError {
            throw error
        } catch {
            preconditionFailure("a member without a context threw \(error)")
        }
    }
}
