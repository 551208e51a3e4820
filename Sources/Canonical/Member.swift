/// One member of an object: its name, the property that holds its value, and its kind.
///
/// `Context` is what members need besides the JSON, such as the keys of encrypted texts; most need nothing.
///
/// Members and tables can be inlined, so that the optimizer knows the types of a table in another module. Otherwise it
/// would look them up for each member that is read.
public struct Member<Object, Context, Value>: Sendable {
    /// Whether the member may be absent, and which value its absence has.
    public enum Presence {
        /// Every object has the member.
        case required
        /// Every object has the member from its first schema version on; the value is that of older objects.
        case requiredSince(Value)
        /// The member may be absent; the value is that of its absence.
        case optional(Value)
    }

    @usableFromInline let descriptions: [MemberDescription]
    @usableFromInline let read: @Sendable (inout ObjectReading, Context) throws -> Value
    @usableFromInline let write: @Sendable (Object, inout ObjectWriting, Context) throws -> Void

    /// A member that is read and written by hand.
    ///
    /// - Parameters:
    ///   - name: The name in JSON.
    ///   - get: The property.
    ///   - since: The first schema version that has the member.
    ///   - write: Returns `nil` to leave the member out, which only an optional one may be.
    @inlinable public init(
        _ name: String, _ description: ValueDescription, _ get: @escaping @Sendable (Object) -> Value, since: Int,
        _ presence: Presence,
        read: @escaping @Sendable (JSONValue, MemberPlace, Context) throws -> Value,
        write: @escaping @Sendable (Value, MemberPlace, Context) throws -> JSONValue?
    ) where Value: Sendable {
        let (isRequired, absent): (Bool, Value?) =
            switch presence {
            case .required: (true, nil)
            case .requiredSince(let value): (true, value)
            case .optional(let value): (false, value)
            }
        descriptions = [MemberDescription(name: name, value: description, isRequired: isRequired, since: since)]
        self.read = { object, context in
            if object.schema >= since {
                if let json = object.take(name) { return try read(json, object.place(of: name), context) }
                if isRequired { throw object.place(of: name).missing() }
            }
            guard let absent else { throw object.place(of: name).missing() }
            return absent
        }
        self.write = { value, object, context in
            guard object.schema >= since else { return }
            let json = try write(get(value), object.place(of: name), context)
            if json == nil && isRequired { throw object.place(of: name).missing() }
            if let json { object.members[name] = json }
        }
    }

    @inlinable init(
        descriptions: [MemberDescription], read: @escaping @Sendable (inout ObjectReading, Context) throws -> Value,
        write: @escaping @Sendable (Object, inout ObjectWriting, Context) throws -> Void
    ) {
        self.descriptions = descriptions
        self.read = read
        self.write = write
    }
}

extension Member where Value: Sendable {
    /// A member that every object has, from a schema version on.
    ///
    /// - Parameter before: The value of objects of an older version. Its type is written out, as in `Pet.dog`.
    @inlinable public init(
        _ name: String, _ get: @escaping @Sendable (Object) -> Value, _ kind: MemberKind<Value>, since: Int = 1,
        before: Value? = nil
    ) {
        let presence = before.map(Presence.requiredSince) ?? .required
        self.init(name, kind.description, get, since: since, presence) { json, place, _ in
            try kind.read(json, place)
        } write: { value, place, _ in
            try kind.write(value, place)
        }
    }

    /// A member that every object has, from a schema version on.
    @inlinable public init(
        _ name: String, _ get: @escaping @Sendable (Object) -> Value, since: Int = 1, before: Value? = nil
    ) where Value: MemberValue {
        self.init(name, get, Value.memberKind, since: since, before: before)
    }

    /// A member that every object has from a schema version on; it is `nil` in older ones.
    @inlinable public init<Wrapped: Sendable>(
        _ name: String, _ get: @escaping @Sendable (Object) -> Wrapped?, _ kind: MemberKind<Wrapped>, since: Int
    ) where Value == Wrapped? {
        self.init(name, kind, get, since: since, .requiredSince(nil))
    }

    /// A member that every object has from a schema version on; it is `nil` in older ones.
    @inlinable public init<Wrapped: MemberValue>(
        _ name: String, _ get: @escaping @Sendable (Object) -> Wrapped?, since: Int
    ) where Value == Wrapped? {
        self.init(name, Wrapped.memberKind, get, since: since, .requiredSince(nil))
    }

    /// A member that may be absent, which is `nil`.
    @inlinable public init<Wrapped: Sendable>(
        optional name: String, _ get: @escaping @Sendable (Object) -> Wrapped?, _ kind: MemberKind<Wrapped>,
        since: Int = 1
    ) where Value == Wrapped? {
        self.init(name, kind, get, since: since, .optional(nil))
    }

    /// A member that may be absent, which is `nil`.
    @inlinable public init<Wrapped: MemberValue>(
        optional name: String, _ get: @escaping @Sendable (Object) -> Wrapped?, since: Int = 1
    ) where Value == Wrapped? {
        self.init(name, Wrapped.memberKind, get, since: since, .optional(nil))
    }

    @inlinable init<Wrapped: Sendable>(
        _ name: String, _ kind: MemberKind<Wrapped>, _ get: @escaping @Sendable (Object) -> Wrapped?, since: Int,
        _ presence: Presence
    ) where Value == Wrapped? {
        self.init(name, kind.description, get, since: since, presence) { json, place, _ in
            try kind.read(json, place)
        } write: { value, place, _ in
            guard let value else { return nil }
            return try kind.write(value, place)
        }
    }
}

extension Member {
    /// All members of a part, which stand beside those of the object itself.
    @inlinable public init(
        inline get: @escaping @Sendable (Object) -> Value
    ) where Value: FlatObject, Value.Context == Context {
        let part = Value.members
        self.init(descriptions: part.members) { object, context in
            try part.read(&object, context)
        } write: { value, object, context in
            try part.write(get(value), &object, context)
        }
    }

    /// Members that depend on each other, such as a pair, which are read and written by hand as one value.
    ///
    /// - Parameters:
    ///   - descriptions: The members. Nothing else may be read or written.
    ///   - read: Reads the members and leaves all others to the table.
    public init(
        together descriptions: [MemberDescription], _ get: @escaping @Sendable (Object) -> Value,
        read: @escaping @Sendable (inout ObjectReader) throws(JSONError) -> Value,
        write: @escaping @Sendable (Value) -> [String: JSONValue]
    ) {
        let names = descriptions.map(\.name)
        self.init(descriptions: descriptions) { object, _ in
            try object.take(names, read)
        } write: { value, object, _ in
            object.members.merge(write(get(value))) { $1 }
        }
    }

    /// The schema version that the object is written in, which is no member of the JSON.
    @inlinable public static func schema(_ get: @escaping @Sendable (Object) -> Int) -> Member where Value == Int {
        Member(descriptions: []) { object, _ in
            object.schema
        } write: { _, _, _ in
        }
    }
}
