public import Canonical

/// The body of `POST /v1/…/{flow}/key`.
public struct KeyProofRequest: Sendable, Equatable, RequestObject {
    /// The ECDSA signature with SHA-256 over the challenge, DER or 64 raw bytes; padded base64 on the wire.
    public var keyProof: [UInt8]

    /// Describes a proof of possession.
    public init(keyProof: [UInt8]) { self.keyProof = keyProof }

    /// The members on the wire.
    public static let members = WireMembers<KeyProofRequest>(
        "KeyProofRequest", KeyProofRequest.init, Member("keyProof", \.keyProof, .base64))
}

/// The first response of a flow. It has the same form for every account, decoys included.
public struct FlowStartedResponse: Sendable, Equatable, ResponseObject {
    /// The opaque handle, unpadded base64url.
    public var flow: String
    /// The exact bytes that the device signs; padded base64 on the wire.
    public var challenge: [UInt8]
    /// The 32-byte salt of the challenge's subject. The client uses it to check which account the challenge is about.
    public var subjectSalt: [UInt8]
    /// The time when the flow expires.
    public var expiresAt: Timestamp

    package init(
        flow: String, challenge: [UInt8], subjectSalt: [UInt8], expiresAt: Timestamp
    ) {
        self.flow = flow
        self.challenge = challenge
        self.subjectSalt = subjectSalt
        self.expiresAt = expiresAt
    }

    /// The members on the wire.
    public static let members = WireMembers<FlowStartedResponse>(
        "FlowStartedResponse", FlowStartedResponse.init, Member("flow", \.flow),
        Member("challenge", \.challenge, .base64), Member("subjectSalt", \.subjectSalt, .base64),
        Member("expiresAt", \.expiresAt))
}

/// The response to a step of a flow: exactly one of these outcomes.
public enum FlowOutcomeResponse: Sendable, Equatable, JSONConvertible {
    /// The flow succeeded and opened a session.
    case success(SessionResponse, EmployeeSummaryResponse, position: Int64?)
    /// The device key is pending until somebody with authority authorizes it.
    case authorizationPending(employeePublicKey: [UInt8], fingerprint: String, position: Int64?)
    /// A new user must choose questions, answers and optionally a passphrase.
    case setCredentials(challenge: [UInt8], rules: CredentialRulesResponse, setUp: SetUpPlanResponse? = nil)
    /// The user must answer at least three of the five questions.
    case validateAnswers(challenge: [UInt8], questions: [QuestionResponse], opening: OpeningResponse? = nil)
    /// The user must enter the passphrase. `questions` is non-`nil` if the user may answer them instead.
    case validatePassphrase(challenge: [UInt8], questions: [QuestionResponse]?, opening: OpeningResponse? = nil)

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        switch try reader.string("outcome") {
        case "success":
            var session: SessionResponse = try reader.wire("session")
            session.notices = try reader.optionalWire("notices") ?? []
            self = .success(
                session, try reader.wire("employee"), position: try reader.optionalInteger("position"))
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

    /// The response as JSON.
    public var json: JSONValue {
        switch self {
        case .success(let session, let employee, let position):
            .objectOmittingNil([
                "outcome": "success", "session": session.withoutNotices.json, "employee": employee.json,
                "position": position.map(JSONValue.integer),
                "notices": session.notices.isEmpty ? nil : session.notices.json,
            ])
        case .authorizationPending(let key, let fingerprint, let position):
            .objectOmittingNil([
                "outcome": "authorizationPending", "employeePublicKey": .base64(key),
                "fingerprint": .string(fingerprint), "words": .string(FingerprintWords(hex: fingerprint).text),
                "position": position.map(JSONValue.integer),
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

extension SessionResponse {
    fileprivate var withoutNotices: SessionResponse {
        var session = self
        session.notices = []
        return session
    }
}
