import Canonical
import FoundationEssentials

extension FlowOutcome: RepeatableAnswer {
    var stored: JSONValue {
        switch self {
        case .success(let tokens, let employee, let position):
            return object(
                "success",
                ["session": tokens.stored, "employee": employee.stored, "position": position.map { .integer($0) }])
        case .authorizationPending(let key, let fingerprint, let position):
            return object(
                "authorizationPending",
                [
                    "key": .string(Base64URL.encode(key)), "fingerprint": .string(fingerprint),
                    "position": position.map { .integer($0) },
                ])
        case .setCredentials(let challenge, let rules, let setUp):
            return object(
                "setCredentials",
                [
                    "challenge": .string(Base64URL.encode(challenge)), "blindOnly": .bool(rules.blindOnly),
                    "allowed": .bool(rules.questionsWithPassphraseAllowed), "setUp": setUp?.stored,
                ])
        case .validateAnswers(let challenge, let questions, let opening):
            return object(
                "validateAnswers",
                [
                    "challenge": .string(Base64URL.encode(challenge)), "questions": .array(questions.map(\.stored)),
                    "opening": opening?.stored,
                ])
        case .validatePassphrase(let challenge, let questions, let opening):
            return object(
                "validatePassphrase",
                [
                    "challenge": .string(Base64URL.encode(challenge)),
                    "questions": questions.map { .array($0.map(\.stored)) }, "opening": opening?.stored,
                ])
        }
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        switch try reader.string("outcome") {
        case "success":
            self = .success(
                try SessionTokens(stored: try reader.value("session")),
                try EmployeeSummary(stored: try reader.value("employee")),
                position: try reader.optionalInteger("position"))
        case "authorizationPending":
            self = .authorizationPending(
                employeePublicKey: try reader.bytes("key"), fingerprint: try reader.string("fingerprint"),
                position: try reader.optionalInteger("position"))
        case "setCredentials":
            self = .setCredentials(
                challenge: try reader.bytes("challenge"),
                rules: CredentialRules(
                    questionsWithPassphraseAllowed: try reader.bool("allowed"),
                    blindOnly: try reader.bool("blindOnly")),
                setUp: try reader.optionalValue("setUp").map { try CredentialSetUpPlan(stored: $0) })
        case "validateAnswers":
            self = .validateAnswers(
                challenge: try reader.bytes("challenge"),
                questions: try reader.array("questions").map { try ShownQuestion(stored: $0) },
                opening: try reader.optionalValue("opening").map { try CredentialOpening(stored: $0) })
        default:
            self = .validatePassphrase(
                challenge: try reader.bytes("challenge"),
                questions: try reader.optionalArray("questions")?.map { try ShownQuestion(stored: $0) },
                opening: try reader.optionalValue("opening").map { try CredentialOpening(stored: $0) })
        }
    }

    private func object(_ outcome: String, _ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues(\.self).merging(["outcome": .string(outcome)]) { first, _ in first })
    }
}

extension ShownQuestion {
    var stored: JSONValue { .object(["id": .string(questionId), "text": .string(question)]) }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(questionId: try reader.string("id"), question: try reader.string("text"))
    }
}

extension SessionTokens: RepeatableAnswer {
    var stored: JSONValue {
        .object([
            "access": .string(accessToken), "refresh": .string(refreshToken), "expires": .string(expiresAt.description),
            "change": .bool(credentialsChangeRequired),
        ])
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            accessToken: try reader.string("access"), expiresAt: try reader.timestamp("expires"),
            refreshToken: try reader.string("refresh"),
            credentialsChangeRequired: try reader.optionalBool("change") ?? false)
    }
}

extension EmployeeSummary {
    var stored: JSONValue {
        var members: [String: JSONValue] = [
            "company": .string(companyName), "status": .string(status), "role": .string(role),
        ]
        if let companyEmployeeId { members["employee"] = .string(companyEmployeeId) }
        return .object(members)
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            companyName: try reader.string("company"), companyEmployeeId: try reader.optionalString("employee"),
            status: try reader.string("status"), role: try reader.string("role"))
    }
}
