public import Canonical

/// The response to a decision.
public enum DecisionResponse: Sendable, Equatable, JSONConvertible {
    /// It is done; `position` is absent when it was done before.
    case done(EmployeeSummaryResponse?, position: Int64?)
    /// The caller has to sign these bytes and send them with the signature in the same call again.
    case signatureRequired(statement: [UInt8])

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        switch try reader.string("outcome") {
        case "done":
            self = .done(try reader.optionalWire("employee"), position: try reader.optionalInteger("position"))
        case "signatureRequired": self = .signatureRequired(statement: try reader.base64("statement"))
        default: throw reader.invalid("outcome", "an outcome of a decision is expected")
        }
    }

    /// The response.
    public var json: JSONValue {
        switch self {
        case .done(let employee, let position):
            .objectOmittingNil([
                "outcome": "done", "employee": employee?.json, "position": position.map(JSONValue.integer),
            ])
        case .signatureRequired(let statement):
            ["outcome": "signatureRequired", "statement": .base64(statement)]
        }
    }
}
