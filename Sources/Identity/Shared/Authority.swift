package import Canonical

/// A statement and its signature.
package struct SignedStatement: Sendable, Hashable {
    package let key: PublicKeyBytes
    /// The exact bytes that were signed, tag included.
    package let statement: [UInt8]
    /// The signature over the statement.
    package let signature: SignatureBytes

    package init(key: PublicKeyBytes, statement: [UInt8], signature: SignatureBytes) {
        self.key = key
        self.statement = statement
        self.signature = signature
    }
}

/// The authority behind a decision: the `by` member of an event.
package enum Authority: Sendable, Hashable {
    /// The founding of a tenant, which needs no other authority.
    case founding
    case policy
    case app(AppID, secret: SecretID, SignedStatement?)
    /// An employee. The statement is missing only for decisions that follow from the employee's own log-in.
    case employee(EmployeeID, SignedStatement?)
    /// The operator, on the command line. A decision without the statement is not lawful.
    case `operator`(SignedStatement?)

    package var statement: SignedStatement? {
        switch self {
        case .founding, .policy: nil
        case .app(_, _, let signed), .employee(_, let signed), .operator(let signed): signed
        }
    }
}

extension Authority: MemberValue {
    /// An object whose members depend on its `kind`. The statement's three members are all present or all absent.
    package static let memberKind = MemberKind<Self>(.object(name: "Authority")) { (json, place) throws(JSONError) in
        var reader = try ObjectReader(json, at: place.pointer)
        let authority = try Authority(reading: &reader)
        try reader.finish()
        return authority
    } write: { (authority, place) throws(JSONError) in
        var members: [String: JSONValue]
        switch authority {
        case .founding: members = ["kind": "founding"]
        case .policy: members = ["kind": "policy"]
        case .operator: members = ["kind": "operator"]
        case .app(let app, let secret, _): members = ["kind": "app", "app": app.json, "secret": secret.json]
        case .employee(let employee, _): members = ["kind": "employee", "employee": employee.json]
        }
        try authority.statement?.write(to: &members, at: place.pointer)
        return .object(members)
    }

    private init(reading reader: inout ObjectReader) throws(JSONError) {
        switch try reader.string("kind") {
        case "founding": self = .founding
        case "policy": self = .policy
        case "operator": self = .operator(try SignedStatement(reading: &reader, ofDevice: false))
        case "app":
            let (app, secret) = (try reader.uuid("app"), try reader.uuid("secret"))
            self = .app(
                AppID(app), secret: SecretID(secret), try SignedStatement(reading: &reader, ofDevice: false))
        case "employee":
            let employee = try reader.uuid("employee")
            self = .employee(EmployeeID(employee), try SignedStatement(reading: &reader, ofDevice: true))
        default: throw reader.invalid("kind", "another word is expected")
        }
    }
}

extension SignedStatement {
    private static let bytes = MemberKind<[UInt8]>.bytes(EventLimits.statement)

    /// Reads the three members; `nil` if all are absent. Each requires the other two.
    ///
    /// - Parameter ofDevice: Whether a device signed, which alone may have a passkey.
    fileprivate init?(reading reader: inout ObjectReader, ofDevice: Bool) throws(JSONError) {
        let present = ["key", "statement", "signature"].filter { reader.optionalValue($0) != nil }
        if present.isEmpty { return nil }
        self.init(
            key: try reader.value("key", of: ofDevice ? PublicKeyBytes.memberKind : .point),
            statement: try reader.value("statement", of: Self.bytes),
            signature: try reader.value("signature", of: ofDevice ? SignatureBytes.memberKind : .raw))
    }

    fileprivate func write(to members: inout [String: JSONValue], at pointer: String) throws(JSONError) {
        members["key"] = .bytes(key.bytes)
        members["statement"] = try Self.bytes.write(statement, at: MemberPlace(of: "statement", in: pointer))
        members["signature"] = .bytes(signature.bytes)
    }
}
