import Canonical
import Credentials
import Testing

/// One registration, login, change or recovery of credentials, or return, on its way.
struct Flow: Sendable {
    /// Which of the five.
    enum Kind: String, Sendable, CaseIterable {
        case registrations
        case logins
        case changes = "credentials/changes"
        case recoveries
        case returns
        /// The two that begin and end with an account.
        static let allCases: [Kind] = [.registrations, .logins]
    }

    let client: Client
    let kind: Kind
    let handle: String
    let challenge: String

    /// Starts a registration.
    static func register(_ person: Person, _ device: Device, _ client: Client) async throws -> Flow {
        try await start(.registrations, person.registration(device), client)
    }

    /// Starts a login.
    static func logIn(_ person: Person, _ device: Device, _ client: Client) async throws -> Flow {
        try await start(.logins, person.login(device), client)
    }

    /// Starts a change of credentials.
    static func change(_ person: Person, _ device: Device, _ client: Client) async throws -> Flow {
        try await start(.changes, person.login(device), client)
    }

    /// Starts a recovery of credentials, or goes on with one.
    static func recover(_ person: Person, _ device: Device, _ client: Client) async throws -> Flow {
        try await start(.recoveries, person.login(device), client)
    }

    /// Starts the return of a security admin, or goes on with one.
    static func comeBack(_ person: Person, _ device: Device, _ client: Client) async throws -> Flow {
        try await start(.returns, person.login(device), client)
    }

    private static func start(_ kind: Kind, _ body: JSONValue, _ client: Client) async throws -> Flow {
        let reply = try await client.post("/v1/\(kind.rawValue)", body)
        // Thrown and not recorded: where services are killed on purpose, no answer is no failure.
        guard reply.status == 201 else { throw Unexpected(description: "\(reply)") }
        return Flow(
            client: client, kind: kind, handle: try #require(reply["flow"]?.text),
            challenge: try #require(reply.challenge))
    }

    /// The same flow, reached through another instance or another app.
    func at(_ client: Client) -> Flow { Flow(client: client, kind: kind, handle: handle, challenge: challenge) }

    /// The request of a step.
    func request(_ step: String, _ body: JSONValue, key: String? = nil) -> HTTPRequest {
        client.request("POST", "/v1/\(kind.rawValue)/\(handle)/\(step)", body, key: key)
    }

    /// One step.
    func step(_ step: String, _ body: JSONValue, key: String? = nil) async throws -> HTTPReply {
        try await client.send(request(step, body, key: key))
    }

    /// The body that proves possession of the device's key.
    func proof(_ device: Device, _ form: Device.Form = .der) throws -> JSONValue {
        ["keyProof": .string(try device.sign(base64: challenge, form))]
    }

    /// Proves possession of the device's key.
    func prove(_ device: Device, _ form: Device.Form = .der) async throws -> HTTPReply {
        try await step("key", try proof(device, form))
    }

    /// Answers whatever the service asked for as this person would.
    func complete(_ person: Person, _ asked: HTTPReply, key: String? = nil) async throws -> HTTPReply {
        try await client.send(try completion(person, asked, key: key))
    }

    /// The request that answers what the service asked for.
    func completion(_ person: Person, _ asked: HTTPReply, key: String? = nil) throws -> HTTPRequest {
        switch asked.outcome {
        case "setCredentials": request("credentials", person.credentials, key: key)
        case "validateAnswers": request("answers", person.answers(to: asked["questions"]?.items ?? []), key: key)
        case "validatePassphrase":
            request("passphrase", ["passphrase": .string(try #require(person.passphrase))], key: key)
        default: throw Unexpected(description: "\(asked)")
        }
    }

    /// A reply that no step expects.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }
}

extension Flow {
    /// The request that changes credentials in direct mode: the old secret of `old`, the new credentials of `new`.
    func change(from old: Person, to new: Person, _ asked: HTTPReply, key: String? = nil) throws -> HTTPRequest {
        var members: [String: JSONValue] = ["credentials": new.credentials]
        if asked.outcome == "validatePassphrase" {
            members["currentPassphrase"] = .string(try #require(old.passphrase))
        } else {
            members["currentAnswers"] = old.answers(to: asked["questions"]?.items ?? [])["answers"]
        }
        return request("credentials", .object(members), key: key)
    }
}

extension Client {
    /// A whole change in direct mode.
    func change(_ old: Person, to new: Person, _ device: Device) async throws -> HTTPReply {
        let flow = try await Flow.change(old, device, self)
        let asked = try await flow.prove(device)
        try #require(asked.status == 200, "\(asked)")
        return try await send(try flow.change(from: old, to: new, asked))
    }

    /// A whole change in blind mode.
    func changeBlind(_ old: Person, to new: Person, _ device: Device) async throws -> HTTPReply {
        let flow = try await BlindFlow.start(.changes, old, device, self)
        let (key, begun) = try await flow.beginChange(old)
        guard begun.outcome == "setCredentials" else { return begun }
        return try await flow.flow.step("proof", try await flow.changeBody(new, oldKey: key, begun))
    }
}

extension BlindFlow {
    /// Opens the old credentials and proves them.
    func beginChange(_ old: Person) async throws -> (key: UserKey, reply: HTTPReply) {
        let opening =
            asked.outcome == "validatePassphrase"
            ? try self.opening(passphrase: try #require(old.passphrase)) : try self.opening(answers: old)
        let key = try #require(try await open(opening))
        return (key, try await flow.step("proof", try proof(by: key)))
    }

    /// The body with the new record, which the old key signs; `change` may spoil it.
    func changeBody(
        _ new: Person, oldKey: UserKey, _ begun: HTTPReply, change: ([UInt8]) -> [UInt8] = { $0 }
    ) async throws -> JSONValue {
        let told = BlindFlow(flow: flow, device: device, asked: begun)
        let previous = try #require(begun["setUp"]?["previous"])
        var plan = try told.plan()
        plan.previous = try PreviousCredentials(
            hash: try bytes(base64: previous["recordHash"]?.text),
            generation: UInt32(try #require(previous["generation"]?.number)), userPublicKey: oldKey.publicKey)
        let blinded = try setUp(new, plan: plan).blinded()
        let reply = try await evaluate(blinded.elements)
        try #require(reply.status == 200, "\(reply)")
        let evaluations = try (reply["evaluations"]?.items ?? []).map { try bytes(base64: $0["evaluation"]?.text) }
        return try body(
            try blinded.complete(evaluations: evaluations, authority: .changed(oldKey: oldKey)), change: change)
    }
}
