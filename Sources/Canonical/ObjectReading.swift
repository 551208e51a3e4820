/// An object while its members are taken one after the other.
@usableFromInline struct ObjectReading {
    /// The schema version that the object was written in.
    @usableFromInline let schema: Int
    private let pointer: String
    private let members: [String: JSONValue]
    private var taken = 0

    init(_ json: JSONValue, at pointer: String, schema: Int) throws(JSONError) {
        guard case .object(let members) = json else {
            throw JSONError(code: .wrongType, pointer: pointer, reason: "an object is expected")
        }
        self.members = members
        self.pointer = pointer
        self.schema = schema
    }

    /// Whether every member was taken. A table takes each name once, so counting suffices.
    var isRead: Bool { taken == members.count }

    @usableFromInline func place(of name: String) -> MemberPlace { MemberPlace(of: name, in: pointer, schema: schema) }

    /// Returns a member, or `nil` if it is absent.
    @usableFromInline mutating func take(_ name: String) -> JSONValue? {
        guard let value = members.exactMember(name) else { return nil }
        taken += 1
        return value
    }

    /// Reads some members by hand.
    mutating func take<Value>(
        _ names: [String], _ read: (inout ObjectReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var reader = try ObjectReader(.object(members), at: pointer)
        let value = try read(&reader)
        taken += names.count { members.exactMember($0) != nil }
        return value
    }

    /// Returns the error for the first member, by name, that no description of this schema version names.
    func unknown(besides known: [MemberDescription]) -> JSONError {
        let names = known.filter { $0.since <= schema }.map(\.name)
        let unknown = members.keys.filter { key in !names.contains { $0.utf8.elementsEqual(key.utf8) } }
        return JSONError(
            code: .unknownMember,
            pointer: unknown.min(by: CanonicalForm.precedes).map { place(of: $0).pointer } ?? pointer,
            reason: "an unknown member")
    }
}

/// An object while its members are written one after the other.
@usableFromInline struct ObjectWriting {
    /// The schema version that the object is written in.
    @usableFromInline let schema: Int
    private let pointer: String
    @usableFromInline var members: [String: JSONValue]

    init(pointer: String, schema: Int, capacity: Int) {
        self.pointer = pointer
        self.schema = schema
        members = Dictionary(minimumCapacity: capacity)
    }

    @usableFromInline func place(of name: String) -> MemberPlace { MemberPlace(of: name, in: pointer, schema: schema) }
}
