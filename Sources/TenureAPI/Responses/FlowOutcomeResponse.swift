public import Canonical

/// The response to a step of a flow: exactly one of these outcomes.
public enum FlowOutcomeResponse: Sendable, Equatable, JSONConvertible {
    /// The employee is in.
    case success(SessionResponse, EmployeeSummaryResponse, position: Int64?)
    /// The employee key awaits somebody with authority.
    case authorizationPending(employeePublicKey: [UInt8], fingerprint: String, position: Int64?)
    /// A new user chooses questions, answers and perhaps a passphrase.
    case setCredentials(challenge: [UInt8], rules: CredentialRulesResponse, setUp: SetUpPlanResponse? = nil)
    /// Three of five answers are wanted.
    case validateAnswers(challenge: [UInt8], questions: [QuestionResponse], opening: OpeningResponse? = nil)
    /// The passphrase is wanted; questions are there when the user allowed them.
    case validatePassphrase(challenge: [UInt8], questions: [QuestionResponse]?, opening: OpeningResponse? = nil)

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        switch try reader.string("outcome") {
        case "success":
            self = .success(
                try reader.wire("session"), try reader.wire("employee"),
                position: try reader.optionalInteger("position"))
        case "authorizationPending":
            self = .authorizationPending(
                employeePublicKey: try reader.base64("employeePublicKey"),
                fingerprint: try reader.string("fingerprint"), position: try reader.optionalInteger("position"))
        case "setCredentials":
            self = .setCredentials(
                challenge: try reader.base64("challenge"), rules: try reader.wire("rules"),
                setUp: try reader.optionalWire("setUp"))
        case "validateAnswers":
            self = .validateAnswers(
                challenge: try reader.base64("challenge"), questions: try reader.wire("questions"),
                opening: try reader.optionalWire("opening"))
        case "validatePassphrase":
            self = .validatePassphrase(
                challenge: try reader.base64("challenge"), questions: try reader.optionalWire("questions"),
                opening: try reader.optionalWire("opening"))
        default: throw reader.invalid("outcome", "an outcome of a flow is expected")
        }
    }

    /// The response.
    public var json: JSONValue {
        switch self {
        case .success(let session, let employee, let position):
            .objectOmittingNil([
                "outcome": "success", "session": session.json, "employee": employee.json,
                "position": position.map(JSONValue.integer),
            ])
        case .authorizationPending(let key, let fingerprint, let position):
            .objectOmittingNil([
                "outcome": "authorizationPending", "employeePublicKey": .base64(key),
                "fingerprint": .string(fingerprint), "position": position.map(JSONValue.integer),
            ])
        case .setCredentials(let challenge, let rules, let setUp):
            .objectOmittingNil([
                "outcome": "setCredentials", "challenge": .base64(challenge), "rules": rules.json, "setUp": setUp?.json,
            ])
        case .validateAnswers(let challenge, let questions, let opening):
            .objectOmittingNil([
                "outcome": "validateAnswers", "challenge": .base64(challenge), "questions": questions.json,
                "opening": opening?.json,
            ])
        case .validatePassphrase(let challenge, let questions, let opening):
            .objectOmittingNil([
                "outcome": "validatePassphrase", "challenge": .base64(challenge), "questions": questions?.json,
                "opening": opening?.json,
            ])
        }
    }
}
