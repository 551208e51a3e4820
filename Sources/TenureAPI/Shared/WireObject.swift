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
