import Canonical
import Crypto
import Foundation
import MPinAuthority
import MPinCryptography
import Testing

/// A registration of one user id on one device, as the service answered its start.
struct MPinEnrolment: Sendable {
    var userId: String
    var mpinId: String
    var regOTT: String
    var identityId: String
    var isActive: Bool

    init(_ userId: String, _ reply: HTTPReply) throws {
        try #require(reply.status == 200, "\(reply)")
        self.userId = userId
        mpinId = try #require(reply["mpinId"]?.text)
        regOTT = try #require(reply["regOTT"]?.text)
        identityId = try #require(reply["identityId"]?.text)
        isActive = try #require(reply["active"]) == true
    }

    /// The SHA-256 of exactly the bytes of the M-Pin ID, which is what D-TAs and statements name.
    var hash: [UInt8] {
        get throws { Array(SHA256.hash(data: try #require(Hex.decode(mpinId)))) }
    }
}

/// A device with a token. The PIN is what its owner remembers.
struct MPinHolder: Sendable {
    var enrolment: MPinEnrolment
    var token: MPinToken
    var pin: String

    /// A PIN that is not the right one.
    var wrongPIN: String { pin == "1111" ? "2222" : "1111" }
}

/// One computed proof: what pass 2 sends.
struct MPinAnswer: Sendable {
    var mpinId: String
    var response: String
    var handle: String

    /// The body of pass 2; `change` exchanges members.
    func body(_ change: [String: JSONValue] = [:]) -> JSONValue {
        let members: [String: JSONValue] = [
            "mpin_id": .string(mpinId), "V": .string(response), "handle": .string(handle),
        ]
        return .object(members.merging(change) { $1 })
    }
}

/// A client of the M-Pin surface: raw HTTP, and the arithmetic of a device.
struct MPinScenarioClient: Sendable {
    /// A call that was refused where the proof needed its answer.
    struct Refused: Error {
        let reply: HTTPReply
    }

    var client: Client
    var company: String
    let keys: TestKeySource

    /// The same, called by another app or with another secret.
    func by(_ app: TestApp) -> MPinScenarioClient { at(client.by(app)) }

    /// The same at another instance.
    func at(_ client: Client) -> MPinScenarioClient {
        MPinScenarioClient(client: client, company: company, keys: keys)
    }

    /// The same at another company.
    func of(_ company: String) -> MPinScenarioClient {
        MPinScenarioClient(client: client, company: company, keys: keys)
    }

    /// A path of the company's backend.
    func path(_ rest: String) -> String { "/mpin/\(segment(company))/\(rest)" }

    func call(_ method: String, _ rest: String, _ body: JSONValue? = nil, by caller: Caller? = nil) async throws
        -> HTTPReply
    {
        try await client.send(client.request(method, path(rest), body, by: caller))
    }

    // MARK: Registration

    func start(_ userId: String, _ more: [String: JSONValue] = [:]) async throws -> HTTPReply {
        let members: [String: JSONValue] = ["userId": .string(userId), "mobile": 1]
        return try await call("PUT", "rps/user", .object(members.merging(more) { $1 }))
    }

    /// Starts a registration and expects it.
    func started(_ userId: String, _ more: [String: JSONValue] = [:]) async throws -> MPinEnrolment {
        try MPinEnrolment(userId, try await start(userId, more))
    }

    func restart(_ enrolment: MPinEnrolment, _ more: [String: JSONValue] = [:]) async throws -> HTTPReply {
        let members: [String: JSONValue] = [
            "userId": .string(enrolment.userId), "mobile": 1, "regOTT": .string(enrolment.regOTT),
        ]
        return try await call("PUT", "rps/user/\(enrolment.mpinId)", .object(members.merging(more) { $1 }))
    }

    func confirm(_ enrolment: MPinEnrolment, push: String? = nil) async throws -> HTTPReply {
        let more = push.map { "&pmiToken=\(segment($0))" } ?? ""
        return try await call("GET", "rps/signature/\(enrolment.mpinId)?regOTT=\(segment(enrolment.regOTT))\(more)")
    }

    /// Adds both shares and takes the PIN out.
    func token(_ enrolment: MPinEnrolment, _ confirmed: HTTPReply, pin: String) throws -> MPinHolder {
        try #require(confirmed.status == 200, "\(confirmed)")
        let answer = keys.secondAnswer(to: try #require(confirmed["params"]?.text))
        try #require(answer.status == 200, "the second D-TA answered \(answer.status)")
        let texts = [confirmed["clientSecretShare"], try StrictJSON.parse(answer.body)["clientSecret"]]
        let shares = try texts.map { try MPinClientKeyShare(encoded: try #require(Hex.decode($0?.text ?? ""))) }
        let token = try MPinClientKey(adding: shares).token(
            without: try MPinPIN(pin), for: try MPinIdentityPoint(digest: try enrolment.hash))
        return MPinHolder(enrolment: enrolment, token: token, pin: pin)
    }

    /// Confirms and takes the PIN out.
    func confirmed(_ enrolment: MPinEnrolment, pin: String = "2741") async throws -> MPinHolder {
        try token(enrolment, try await confirm(enrolment), pin: pin)
    }

    /// A whole registration, the first proof included.
    func register(_ userId: String, pin: String = "2741") async throws -> MPinHolder {
        let holder = try await confirmed(try await started(userId), pin: pin)
        let reply = try await prove(holder)
        try #require(reply.status == 200, "\(reply)")
        return holder
    }

    // MARK: Authentication

    func pass1(_ mpinId: String, _ commitment: String, _ more: [String: JSONValue] = [:]) async throws -> HTTPReply {
        let members: [String: JSONValue] = ["mpin_id": .string(mpinId), "U": .string(commitment), "pass": 1]
        return try await call("POST", "rps/pass1", .object(members.merging(more) { $1 }))
    }

    func pass2(_ answer: MPinAnswer, _ change: [String: JSONValue] = [:]) async throws -> HTTPReply {
        try await call("POST", "rps/pass2", answer.body(change))
    }

    func authenticate(_ authOTT: String) async throws -> HTTPReply {
        try await call("POST", "authenticate", ["authOTT": .string(authOTT)])
    }

    /// Does pass 1 and computes pass 2. The token may be of another identity than the one that is named.
    func answer(_ holder: MPinHolder, pin: String? = nil, as mpinId: String? = nil) async throws -> MPinAnswer {
        let named = mpinId ?? holder.enrolment.mpinId
        let prover = MPinProver(identity: try MPinIdentityPoint(digest: try holder.enrolment.hash))
        let reply = try await pass1(named, Hex.encode(prover.commitment.encoded))
        guard reply.status == 200 else { throw Refused(reply: reply) }
        let challenge = try MPinChallenge(encoded: try #require(Hex.decode(reply["y"]?.text ?? "")))
        let response = try prover.respond(
            to: challenge, token: holder.token, pin: try MPinPIN(pin ?? holder.pin))
        return MPinAnswer(
            mpinId: named, response: Hex.encode(response.encoded), handle: try #require(reply["handle"]?.text))
    }

    /// Does both passes and expects an authOTT.
    func authOTT(_ holder: MPinHolder, pin: String? = nil) async throws -> String {
        try await authOTT(try await answer(holder, pin: pin))
    }

    /// Does pass 2 and expects an authOTT.
    func authOTT(_ answer: MPinAnswer) async throws -> String {
        let reply = try await pass2(answer)
        guard reply.status == 200 else { throw Refused(reply: reply) }
        return try #require(reply["authOTT"]?.text)
    }

    /// A whole authentication: what `authenticate` answers, or the first refusal before it.
    func prove(_ holder: MPinHolder, pin: String? = nil) async throws -> HTTPReply {
        do {
            return try await authenticate(try await authOTT(holder, pin: pin))
        } catch let refused as Refused {
            return refused.reply
        }
    }

    /// Pass 2 and `authenticate` of a computed proof, or the refusal of the former.
    func finish(_ answer: MPinAnswer, _ change: [String: JSONValue] = [:]) async throws -> HTTPReply {
        let reply = try await pass2(answer, change)
        guard reply.status == 200 else { return reply }
        return try await authenticate(try #require(reply["authOTT"]?.text))
    }
}

extension MPinEnrolment {
    /// The body of a link, with the token of the registration.
    func linking(_ signed: [String: JSONValue] = [:]) -> JSONValue {
        .object(signed.merging(["regOTT": .string(regOTT)]) { first, _ in first })
    }
}
