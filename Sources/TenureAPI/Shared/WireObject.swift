public import Canonical

/// A flat JSON object of the contract, declared once as a table of its members.
public protocol WireObject: FlatObject, JSONConvertible, MemberValue where Context == Void {
    /// Members that always have one value. They are written and not read.
    static var constants: [String: JSONValue] { get }
}

/// The body of a request. Unknown members are refused.
public protocol RequestObject: WireObject {}

/// A response, or a part of one. Unknown members are ignored, so that a client keeps working with a newer service.
public protocol ResponseObject: WireObject {}

/// The members of a flat object of the contract.
public typealias WireMembers<Object> = MemberTable<Object, Void>

extension WireObject {
    /// No constants.
    public static var constants: [String: JSONValue] { [:] }

    /// The object as a member of another, which reads unknown members as the object itself does.
    public static var memberKind: MemberKind<Self> {
        MemberKind(.object(name: members.name)) { (json, place) throws(JSONError) in
            try Self(json: json, at: place.pointer)
        } write: { (value, _) in
            value.json
        }
    }

    /// The object as it is sent.
    public var json: JSONValue {
        // The service refuses a value that is out of bounds, so the contract writes every value.
        guard case .object(var object)? = try? Self.members.write(self) else {
            preconditionFailure("\(Self.members.name) has a member whose kind does not write every value")
        }
        for (name, value) in Self.constants { object[name] = value }
        return .object(object)
    }
}

extension RequestObject {
    /// Reads a request and rejects unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        self = try Self.members.read(json, at: pointer)
    }
}

extension ResponseObject {
    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        self = try Self.members.read(json, at: pointer, ignoresUnknown: true)
    }
}

/// The kinds of the contract write every value: a bound is that of the service, which refuses the request.
extension MemberKind<String> {
    /// A string that is read with at most `count` bytes of UTF-8.
    static func text(upTo count: Int, _ reason: String) -> MemberKind {
        MemberKind(.string(format: "text")) { (json, place) throws(JSONError) in
            let text = try json.string(at: place)
            guard text.utf8.count <= count else { throw place.invalid(reason) }
            return text
        } write: { (text, _) in
            .string(text)
        }
    }
}

extension MemberKind<[UInt8]> {
    /// Bytes as padded base64 (RFC 4648 §4).
    static var base64: MemberKind {
        .text(
            .string(format: "byte"), "padded base64 is expected", parse: { Base64.decode($0) },
            text: { Base64.encode($0) })
    }
}

extension MemberKind<JSONValue> {
    static func any(_ name: String) -> MemberKind {
        MemberKind(.object(name: name)) { (json, _) in
            json
        } write: { (json, _) in
            json
        }
    }
}

extension MemberKind<Bool> {
    static var flag: MemberKind { Bool.memberKind }
}

extension MemberKind where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// One of the words of the type.
    static var word: MemberKind { word("one of \(words.joined(separator: ", ")) is expected") }

    /// One of the two words of the type.
    static var either: MemberKind { word("\(words.joined(separator: " or ")) is expected") }

    private static var words: [String] { Value.allCases.map(\.rawValue) }

    private static func word(_ reason: String) -> MemberKind {
        .text(.word(words), reason, parse: { Value(rawValue: $0) }, text: \.rawValue)
    }
}

extension Member where Value: Sendable & Equatable {
    /// A member that is always written, and may be absent when it is read, which has the value `absent`.
    init(
        _ name: String, _ get: @escaping @Sendable (Object) -> Value, _ kind: MemberKind<Value>, absent: Value
    ) {
        self.init(name, kind.description, get, since: 1, .optional(absent)) { json, place, _ in
            try kind.read(json, at: place)
        } write: { value, place, _ in
            try kind.write(value, at: place)
        }
    }

    /// A member that is absent for the value `absent`.
    init(
        optional name: String, _ get: @escaping @Sendable (Object) -> Value, _ kind: MemberKind<Value>, absent: Value
    ) {
        self.init(name, kind.description, get, since: 1, .optional(absent)) { json, place, _ in
            try kind.read(json, at: place)
        } write: { value, place, _ in
            value == absent ? nil : try kind.write(value, at: place)
        }
    }
}
