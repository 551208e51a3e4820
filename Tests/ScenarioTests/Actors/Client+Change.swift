import Canonical
import Credentials
import Testing

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
