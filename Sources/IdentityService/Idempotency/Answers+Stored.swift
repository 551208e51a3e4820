import Canonical
import FoundationEssentials

extension FlowStarted: RepeatableAnswer {
    var stored: JSONValue {
        .object([
            "flow": .string(flow), "challenge": .string(Base64URL.encode(challenge)),
            "salt": .string(Base64URL.encode(subjectSalt)), "expires": .string(expiresAt.description),
        ])
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            flow: try reader.string("flow"), challenge: try reader.bytes("challenge"),
            subjectSalt: try reader.bytes("salt"), expiresAt: try reader.timestamp("expires"))
    }
}

extension Decision: RepeatableAnswer {
    var stored: JSONValue {
        switch self {
        case .signatureRequired(let statement):
            return .object(["statement": .string(Base64URL.encode(statement))])
        case .done(let employee, let position):
            var members: [String: JSONValue] = [:]
            if let employee { members["employee"] = employee.stored }
            if let position { members["position"] = .integer(position) }
            return .object(members)
        }
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        if let statement = try reader.optionalBytes("statement") {
            self = .signatureRequired(statement: statement)
        } else {
            self = .done(
                try reader.optionalValue("employee").map { try EmployeeSummary(stored: $0) },
                position: try reader.optionalInteger("position"))
        }
    }
}

/// The answer of a call that has nothing to say.
struct EmptyAnswer: RepeatableAnswer {
    var stored: JSONValue { .object([:]) }
    init() {}
    init(stored: JSONValue) throws {}
}
