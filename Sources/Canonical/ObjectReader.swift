/// Reads the members of one JSON object by name and type, and refuses those nobody asked for.
///
/// Every error carries the pointer of the member. A null counts as a value of the wrong type, also for optional
/// members: what is absent is omitted.
public struct ObjectReader: Sendable {
    /// Where the object is, as a JSON pointer.
    public let pointer: String
    private let members: [String: JSONValue]
    private var asked: [String] = []

    /// Makes a reader of an object found at `pointer`.
    ///
    /// - Throws: ``JSONError`` with ``JSONError/Code/wrongType`` when the value is not an object.
    public init(_ value: JSONValue, at pointer: String = "") throws(JSONError) {
        guard case .object(let members) = value else {
            throw JSONError(code: .wrongType, pointer: pointer, reason: "an object is expected")
        }
        self.pointer = pointer
        self.members = members
    }

    /// Throws ``JSONError/Code/unknownMember`` with the pointer of the first member, by name, that was not asked for.
    public func finish() throws(JSONError) {
        let unknown = members.keys.filter { !askedExactly($0) }
        if let name = unknown.min(by: CanonicalForm.precedes) {
            throw JSONError(code: .unknownMember, pointer: pointer(of: name), reason: "an unknown member")
        }
    }

    /// The JSON pointer of a member.
    public func pointer(of name: String) -> String { JSONError.pointer(pointer, member: name) }

    /// The error for a member whose value is of the right type and still not allowed; `reason` must not repeat it.
    public func invalid(_ name: String, _ reason: String) -> JSONError {
        JSONError(code: .invalidValue, pointer: pointer(of: name), reason: reason)
    }

    /// The value of a member of any type, or nil when it is absent.
    public mutating func optionalValue(_ name: String) -> JSONValue? {
        asked.append(name)
        return members.exactMember(name)
    }

    /// The value of a member of any type.
    public mutating func value(_ name: String) throws(JSONError) -> JSONValue {
        try present(optionalValue(name), name)
    }

    func present<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else {
            throw JSONError(code: .missingMember, pointer: pointer(of: name), reason: "a member is missing")
        }
        return value
    }

    func mismatch(_ name: String, _ expected: String) -> JSONError {
        JSONError(code: .wrongType, pointer: pointer(of: name), reason: "\(expected) is expected")
    }

    private func askedExactly(_ name: String) -> Bool {
        asked.contains { $0 == name && $0.utf8.elementsEqual(name.utf8) }
    }
}
