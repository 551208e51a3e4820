import Canonical

/// A statement and its signature.
public struct SignedStatement: Sendable, Hashable {
    /// The key that signed.
    public let key: PublicKeyBytes
    /// The exact bytes that were signed, tag included.
    public let statement: [UInt8]
    /// The signature over the statement.
    public let signature: SignatureBytes

    /// Each parameter sets the property of the same name. The signature is not verified here.
    public init(key: PublicKeyBytes, statement: [UInt8], signature: SignatureBytes) {
        self.key = key
        self.statement = statement
        self.signature = signature
    }
}

/// The authority behind a decision: the `by` member of an event.
public enum Authority: Sendable, Hashable {
    /// The founding of a tenant, which needs no other authority.
    case founding
    /// The tenant's policy.
    case policy
    /// An app, identified by one of its secrets.
    case app(AppID, secret: SecretID, SignedStatement?)
    /// An employee. The statement is missing only in events older than the table of authority, and for decisions that
    /// follow from the employee's own log-in.
    case employee(EmployeeID, SignedStatement?)
    /// The operator, on the command line. The statement is missing only in older events.
    case `operator`(SignedStatement?)

    /// The signed statement, if there is one.
    public var statement: SignedStatement? {
        switch self {
        case .founding, .policy: nil
        case .app(_, _, let signed), .employee(_, let signed), .operator(let signed): signed
        }
    }
}

extension Authority {
    /// Encodes the `by` member. The statement's three members are all present or all absent.
    func json() throws(EventError) -> JSONValue {
        switch self {
        case .founding: return .object(["kind": "founding"])
        case .policy: return .object(["kind": "policy"])
        case .operator(let signed): return try Self.object(["kind": "operator"], signed)
        case .app(let app, let secret, let signed):
            return try Self.object(["kind": "app", "app": app.json, "secret": secret.json], signed)
        case .employee(let employee, let signed):
            return try Self.object(["kind": "employee", "employee": employee.json], signed)
        }
    }

    private static func object(
        _ members: [String: JSONValue], _ signed: SignedStatement?
    ) throws(EventError) -> JSONValue {
        guard let signed else { return .object(members) }
        try EventLimits.check(signed.statement, EventLimits.statement, "/data/by/statement")
        var members = members
        members["key"] = .bytes(signed.key.bytes)
        members["statement"] = .bytes(signed.statement)
        members["signature"] = .bytes(signed.signature.bytes)
        return .object(members)
    }

    /// Decodes the `by` member. The caller finishes the reader.
    init(reading reader: inout ObjectReader) throws(JSONError) {
        switch try reader.string("kind") {
        case "founding": self = .founding
        case "policy": self = .policy
        case "operator": self = .operator(try SignedStatement.read(&reader))
        case "app":
            let (app, secret) = (try reader.uuid("app"), try reader.uuid("secret"))
            self = .app(AppID(app), secret: SecretID(secret), try SignedStatement.read(&reader))
        case "employee":
            let employee = try reader.uuid("employee")
            self = .employee(EmployeeID(employee), try SignedStatement.read(&reader))
        default: throw reader.invalid("kind", "another word is expected")
        }
    }
}

extension SignedStatement {
    fileprivate static func read(_ reader: inout ObjectReader) throws(JSONError) -> SignedStatement? {
        // Each of the three members requires the other two.
        let members = [
            reader.optionalValue("key"), reader.optionalValue("statement"), reader.optionalValue("signature"),
        ]
        if members.allSatisfy({ $0 == nil }) { return nil }
        return SignedStatement(
            key: try reader.publicKey("key"), statement: try reader.bytes("statement", EventLimits.statement),
            signature: try reader.signature("signature"))
    }
}
