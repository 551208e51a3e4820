import Canonical

extension Authority {
    /// The member `by`; the statement's three members are all there or none.
    func json() throws(EventError) -> JSONValue {
        switch self {
        case .founding: return .object(["kind": "founding"])
        case .policy: return .object(["kind": "policy"])
        case .operator: return .object(["kind": "operator"])
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

    /// Reads the member `by`; the caller finishes the reader.
    init(reading reader: inout ObjectReader) throws(JSONError) {
        switch try reader.string("kind") {
        case "founding": self = .founding
        case "policy": self = .policy
        case "operator": self = .operator
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
        // Any one of the three asks for the other two.
        let members = [
            reader.optionalValue("key"), reader.optionalValue("statement"), reader.optionalValue("signature"),
        ]
        if members.allSatisfy({ $0 == nil }) { return nil }
        return SignedStatement(
            key: try reader.publicKey("key"), statement: try reader.bytes("statement", EventLimits.statement),
            signature: try reader.signature("signature"))
    }
}
