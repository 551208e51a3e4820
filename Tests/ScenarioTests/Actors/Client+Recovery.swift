import Canonical
import Credentials
import Foundation
import Testing

extension Client {
    /// Starts a recovery and proves the device's key: what waits, or new credentials.
    func askToRecover(_ person: Person, _ device: Device) async throws -> (flow: Flow, reply: HTTPReply) {
        let flow = try await Flow.recover(person, device, self)
        return (flow, try await flow.prove(device))
    }

    /// The path of a decision about a recovery.
    func recovery(_ person: Person, _ device: Device, _ step: String) -> String {
        path(person, "/recoveries/\(device.fingerprint)/\(step)")
    }

    /// Opens or confirms a recovery, signed.
    func decide(_ step: String, _ person: Person, _ device: Device, by member: Member) async throws -> HTTPReply {
        try await signed(by: member, "POST", recovery(person, device, step))
    }

    /// Cancels a recovery, signed.
    func cancelRecovery(_ person: Person, _ device: Device, by member: Member) async throws -> HTTPReply {
        try await signed(by: member, "POST", recovery(person, device, "cancellation"), ["reason": "mistake"])
    }

    /// The recoveries of a company as an admin sees them, by fingerprint.
    func recoveries(_ company: String, by member: Member) async throws -> [String: JSONValue] {
        let reply = try await get(path(company, "/recoveries"), by: member.session)
        try #require(reply.status == 200, "\(reply)")
        return Dictionary(
            (reply["items"]?.items ?? []).map { ($0["fingerprint"]?.text ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    /// Sets new credentials once the recovery was confirmed.
    func finishRecovery(_ new: Person, _ device: Device, blind: Bool) async throws -> HTTPReply {
        guard blind else {
            let (flow, asked) = try await askToRecover(new, device)
            return asked.outcome == "setCredentials" ? try await flow.complete(new, asked) : asked
        }
        let flow = try await BlindFlow.start(.recoveries, new, device, self)
        guard flow.asked.outcome == "setCredentials" else { return flow.asked }
        return try await flow.flow.step("proof", try await flow.recoveryBody(new))
    }
}

extension BlindFlow {
    /// The body with the new record, which names both decisions; `change` may spoil either.
    func recoveryBody(
        _ new: Person, change: ([UInt8], [UInt8]) -> ([UInt8], [UInt8]) = { ($0, $1) }, signedBy other: Device? = nil
    ) async throws -> JSONValue {
        let told = try #require(asked["setUp"])
        var plan = try plan()
        // Nobody has the old user key, and no signature of it is asked for.
        plan.previous = try PreviousCredentials(
            hash: try bytes(base64: told["previous"]?["recordHash"]?.text),
            generation: UInt32(try #require(told["previous"]?["generation"]?.number)),
            userPublicKey: nil)
        let (opened, confirmed) = change(
            try bytes(base64: told["approvals"]?["opened"]?.text),
            try bytes(base64: told["approvals"]?["confirmed"]?.text))
        let blinded = try setUp(new, plan: plan).blinded()
        let reply = try await evaluate(blinded.elements)
        try #require(reply.status == 200, "\(reply)")
        let evaluations = try (reply["evaluations"]?.items ?? []).map { try bytes(base64: $0["evaluation"]?.text) }
        let made = try blinded.complete(
            evaluations: evaluations, authority: .recovered(firstApproval: opened, secondApproval: confirmed))
        return try BlindFlow(flow: flow, device: other ?? device, asked: asked).body(made)
    }
}

/// A company with a security admin, an admin, and somebody who is about to lose everything.
struct RecoveryScene: Sendable {
    let client: Client
    let founder: Member
    let admin: Member
    let lost: Member
    /// The same account with the secrets to come.
    let renewed: Person
    /// The device that recovers.
    let device = Device()

    init(_ company: String, _ client: Client, lost person: Person? = nil) async throws {
        self.client = client
        founder = try await client.found(company)
        admin = try await client.join(Person("admin", at: company))
        let given = try await client.signed(
            by: founder, "POST", client.path(admin.person, "/role"), ["role": "admin"])
        try #require(given.outcome == "done", "\(given)")
        lost = try await client.join(person ?? Person("lost", at: company))
        let fresh = Person("lost", at: company)
        var new = lost.person
        new.questions = fresh.questions
        new.passphrase = fresh.passphrase
        renewed = new
    }

    func ask(_ device: Device? = nil) async throws -> HTTPReply {
        try await client.askToRecover(lost.person, device ?? self.device).reply
    }

    func open(by member: Member? = nil) async throws -> HTTPReply {
        try await client.decide("opening", lost.person, device, by: member ?? founder)
    }

    func confirm(by member: Member? = nil) async throws -> HTTPReply {
        try await client.decide("confirmation", lost.person, device, by: member ?? admin)
    }

    /// Both decisions.
    func approve() async throws {
        expectOutcome(try await open(), "done")
        expectOutcome(try await confirm(), "done")
    }
}
