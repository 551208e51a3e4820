public import Canonical
import Credentials
import FoundationEssentials

/// The four kinds of flows.
public enum FlowKind: String, Sendable, Hashable {
    /// `POST /v1/registrations`.
    case registration
    /// `POST /v1/logins`.
    case login
    /// `POST /v1/credentials/changes`.
    case change
    /// `POST /v1/recoveries`.
    case recovery
}

/// The first reply of a flow, which has the same form for known and unknown names.
public struct FlowStarted: Sendable, Equatable {
    /// The opaque handle, unpadded base64url.
    public var flow: String
    /// The exact bytes that the device signs.
    public var challenge: [UInt8]
    /// The salt of the challenge's subject commitment, 32 bytes. With it the client checks which employee the challenge
    /// names.
    public var subjectSalt: [UInt8]
    /// When the flow expires.
    public var expiresAt: Timestamp
}

/// The rules that new credentials must satisfy.
public struct SetUpRules: Sendable, Equatable {
    /// The number of questions, always five.
    public var questions = 5
    /// The least number of code points of a passphrase.
    public var passphraseMinimumLength = 8
    /// Whether the user may allow questions beside a passphrase.
    public var questionsWithPassphraseAllowed: Bool
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether the app lets users choose questions that are not in the published list.
    public var customQuestionsAllowed = false
}

/// The outcome of a flow's step, unless it is an error.
public enum StepAnswer: Sendable, Equatable {
    /// The employee is logged in.
    case success(IssuedTokens, EmployeeSummary, position: Int64?)
    /// The device key is pending: somebody with authority must decide about it.
    case authorizationPending(employeePublicKey: [UInt8], fingerprint: String, position: Int64?)
    /// The new user must choose questions, answers and optionally a passphrase.
    case setCredentials(challenge: [UInt8], rules: SetUpRules, setUp: CredentialSetUpPlan? = nil)
    /// The client must supply three of five answers.
    case validateAnswers(challenge: [UInt8], questions: [ShownQuestion], opening: BlindChallenge? = nil)
    /// The client must supply the passphrase. `questions` is set if the user allows them too.
    case validatePassphrase(challenge: [UInt8], questions: [ShownQuestion]?, opening: BlindChallenge? = nil)
}

/// The tokens of a session, shown once.
public struct IssuedTokens: Sendable, Equatable, CustomStringConvertible {
    /// The access token, unpadded base64url.
    public var accessToken: String
    /// When the access token expires.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; usable once.
    public var refreshToken: String
    /// Whether unknown devices are locked out until the credentials are changed.
    public var credentialsChangeRequired = false
    /// Messages to the owner of the account.
    public var notices: [Notice] = []
    /// A placeholder that never contains the tokens.
    public var description: String { "[redacted]" }
}

/// An employee as replies show one.
public struct EmployeeSummary: Sendable, Equatable {
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee id as first entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String
}

extension StepAnswer: RepeatableAnswer {
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
                    "allowed": .bool(rules.questionsWithPassphraseAllowed), "own": .bool(rules.customQuestionsAllowed),
                    "setUp": setUp?.stored,
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
                try IssuedTokens(stored: try reader.value("session")),
                try EmployeeSummary(stored: try reader.value("employee")),
                position: try reader.optionalInteger("position"))
        case "authorizationPending":
            self = .authorizationPending(
                employeePublicKey: try reader.bytes("key"), fingerprint: try reader.string("fingerprint"),
                position: try reader.optionalInteger("position"))
        case "setCredentials":
            self = .setCredentials(
                challenge: try reader.bytes("challenge"),
                rules: SetUpRules(
                    questionsWithPassphraseAllowed: try reader.bool("allowed"),
                    blindOnly: try reader.bool("blindOnly"),
                    customQuestionsAllowed: try reader.optionalBool("own") ?? false),
                setUp: try reader.optionalValue("setUp").map { try CredentialSetUpPlan(stored: $0) })
        case "validateAnswers":
            self = .validateAnswers(
                challenge: try reader.bytes("challenge"),
                questions: try reader.array("questions").map { try ShownQuestion(stored: $0) },
                opening: try reader.optionalValue("opening").map { try BlindChallenge(stored: $0) })
        default:
            self = .validatePassphrase(
                challenge: try reader.bytes("challenge"),
                questions: try reader.optionalArray("questions")?.map { try ShownQuestion(stored: $0) },
                opening: try reader.optionalValue("opening").map { try BlindChallenge(stored: $0) })
        }
    }

    private func object(_ outcome: String, _ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues(\.self).merging(["outcome": .string(outcome)]) { first, _ in first })
    }
}

extension ShownQuestion {
    var stored: JSONValue {
        switch question {
        case .listed(let listed):
            .object([
                "id": .string(questionId), "version": .integer(Int64(listed.version)),
                "number": .integer(Int64(listed.number)),
            ])
        case .own(let text): .object(["id": .string(questionId), "text": .string(text)])
        }
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        let id = try reader.string("id")
        if let number = try reader.optionalInteger("number"), let version = try reader.optionalInteger("version"),
            let listed = ListedQuestion(number: Int(number), version: Int(version))
        {
            self.init(questionId: id, question: .listed(listed))
        } else {
            self.init(questionId: id, question: try reader.string("text"))
        }
    }
}

extension IssuedTokens: RepeatableAnswer {
    var stored: JSONValue {
        .object([
            "access": .string(accessToken), "refresh": .string(refreshToken), "expires": .string(expiresAt.description),
            "change": .bool(credentialsChangeRequired), "notices": .array(notices.map(\.stored)),
        ])
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            accessToken: try reader.string("access"), expiresAt: try reader.timestamp("expires"),
            refreshToken: try reader.string("refresh"),
            credentialsChangeRequired: try reader.optionalBool("change") ?? false,
            notices: try reader.optionalArray("notices")?.map { try Notice(stored: $0) } ?? [])
    }
}

extension Notice {
    var stored: JSONValue {
        var members: [String: JSONValue] = ["type": .string(type)]
        members["openedAt"] = openedAt.map { .string($0.description) }
        members["openedBy"] = openedBy.map { .string($0) }
        members["availableAt"] = availableAt.map { .string($0.description) }
        members["cancelBefore"] = cancelBefore.map { .string($0.description) }
        return .object(members)
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            type: try reader.string("type"), openedAt: try reader.optionalTimestamp("openedAt"),
            openedBy: try reader.optionalString("openedBy"), availableAt: try reader.optionalTimestamp("availableAt"),
            cancelBefore: try reader.optionalTimestamp("cancelBefore"))
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
