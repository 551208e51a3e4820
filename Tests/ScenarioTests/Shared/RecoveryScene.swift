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

    /// Appoints an admin whose device key carries the role.
    func appoint(_ member: Member, by founder: Member) async throws {
        let keys: JSONValue = .array([.string(member.device.fingerprint)])
        let given = try await signed(
            by: founder, "POST", path(member.person, "/role"), ["role": "admin", "fingerprints": keys])
        try #require(given.outcome == "done", "\(given)")
    }

    /// Revokes somebody's device key, signed.
    func revoke(_ device: Device, of person: Person, by member: Member) async throws -> HTTPReply {
        try await signed(
            by: member, "POST", path(person, "/keys/\(device.fingerprint)/revocation"), ["reason": "lost"])
    }

    /// Logs in again with the same device.
    func again(_ member: Member) async throws -> Member {
        try Member(member.person, member.device, try await logIn(member.person, member.device))
    }

    /// Cancels a recovery with a device's key, without a session: also with one that was revoked.
    func cancelRecovery(of person: Person, with device: Device) async throws -> HTTPReply {
        let flow = try await Flow.logIn(person, device, self)
        let proved = try await flow.prove(device)
        try #require(proved.status == 200, "\(proved)")
        let first = try await flow.step("recovery/cancellation", .object([:]))
        guard first.outcome == "signatureRequired" else { return first }
        let signature = try device.sign(base64: first["statement"]?.text)
        return try await flow.step(
            "recovery/cancellation",
            .object(["statement": first["statement"] ?? .null, "signature": .string(signature)]))
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
    let device: Device

    /// Somebody who lost everything, with everybody logged in again, which is needed after hours.
    func later() async throws -> RecoveryScene {
        RecoveryScene(
            client: client, founder: try await client.again(founder), admin: try await client.again(admin),
            lost: lost, renewed: renewed, device: device)
    }

    private init(
        client: Client, founder: Member, admin: Member, lost: Member, renewed: Person, device: Device
    ) {
        self.client = client
        self.founder = founder
        self.admin = admin
        self.lost = lost
        self.renewed = renewed
        self.device = device
    }

    init(_ company: String, _ client: Client, lost person: Person? = nil) async throws {
        self.client = client
        device = Device()
        founder = try await client.found(company)
        admin = try await client.join(Person("admin", at: company))
        try await client.appoint(admin, by: founder)
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
