import Canonical
import Foundation
import MPinCryptography
import Postgres
import Synchronization
import Testing

/// A company whose M-Pin service meets one kind of fault at each commit that a test names.
final class MPinFaultScene: Sendable {
    private struct Instances {
        var current: MortalInstance
        var killed: [MortalInstance] = []
    }

    let scene: MPinScene
    let fault: CommitFault
    let mailbox: Mailbox
    private let instances: Mutex<Instances>

    private init(_ scene: MPinScene, _ fault: CommitFault, _ mailbox: Mailbox, _ first: MortalInstance) {
        self.scene = scene
        self.fault = fault
        self.mailbox = mailbox
        instances = Mutex(Instances(current: first))
    }

    /// Runs `body` with a company whose identities are verified by mail. The world's own instance sends no mails.
    static func with(_ fault: CommitFault, _ body: (MPinFaultScene) async throws -> Void) async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:]) { scene in
            mailbox.watch(scene.world)
            let first = try await MortalInstance.start(in: scene.world) { mailbox.serve(&$0) }
            let faults = MPinFaultScene(scene, fault, mailbox, first)
            do { try await body(faults) } catch {
                await faults.end()
                throw error
            }
            await faults.end()
        }
    }

    /// The app's view of the instance that serves now.
    var client: Client { instances.withLock { $0.current.client } }

    /// The device side of M-Pin at that instance.
    var pins: MPinScenarioClient { scene.pins.at(client) }

    private func end() async {
        let all = instances.withLock { $0.killed + [$0.current] }
        for instance in all { await instance.ended() }
    }

    /// Sends a call that meets the fault at a commit, and repeats it as a client does that got no answer.
    ///
    /// - Returns: The first answer that is none of a failed service.
    func surviving(
        _ point: CommitPoint, _ call: @escaping @Sendable (MPinScenarioClient) async throws -> HTTPReply
    ) async throws -> HTTPReply {
        let instance = instances.withLock { $0.current }, pins = self.pins
        var gate = try await CommitGate.closed(scene.world, at: point)
        let first = Task { try? await call(pins) }
        try await gate.strike(fault, at: instance)
        if fault.isDeath {
            try await replace(instance)
        } else if let reply = await first.value, Self.isAnswer(reply) {
            return reply
        }
        return try await repeated(call)
    }

    /// Starts a registration, and lets the work on its mail meet the fault at a commit.
    func started(_ userId: String, survivingMail work: CommitPoint) async throws -> MPinEnrolment {
        let instance = instances.withLock { $0.current }
        var gate = try await CommitGate.closed(scene.world, at: work)
        let enrolment = try await started(userId)
        try await gate.strike(fault, at: instance)
        if fault.isDeath { try await replace(instance) }
        return enrolment
    }

    /// Starts a registration.
    func started(_ userId: String) async throws -> MPinEnrolment {
        try MPinEnrolment(userId, try await calling { try await $0.start(userId) })
    }

    /// Starts another instance in the place of one that was killed.
    private func replace(_ killed: MortalInstance) async throws {
        // As if the minute had passed that a call has to itself.
        _ = try await scene.world.superuser { connection in
            try await connection.query(
                "UPDATE tenure.idempotency SET lease_until = to_timestamp(0) WHERE state = 'running'")
        }
        let mailbox = self.mailbox
        let next = try await MortalInstance.start(in: scene.world) { mailbox.serve(&$0) }
        instances.withLock {
            $0.killed.append(killed)
            $0.current = next
        }
    }

    /// Sends a call until it is answered. A cut also breaks connections that the service finds out about only later.
    private func repeated(
        _ call: @Sendable (MPinScenarioClient) async throws -> HTTPReply
    ) async throws -> HTTPReply {
        var answer: HTTPReply?
        try await scene.world.until {
            answer = try? await call(pins)
            return answer.map(Self.isAnswer) ?? false
        }
        return try #require(answer)
    }

    /// Whether a client need not repeat its call.
    private static func isAnswer(_ reply: HTTPReply) -> Bool {
        reply.status < 500 && reply.code != "idempotency.in_progress"
    }

    /// Sends a call that meets no fault of its own. It may still find a connection that an earlier fault broke.
    func calling(
        _ call: @Sendable (MPinScenarioClient) async throws -> HTTPReply
    ) async throws -> HTTPReply { try await repeated(call) }

    /// Does pass 1, which may meet the fault, and computes pass 2.
    func answer(_ holder: MPinHolder, pin: String, at point: CommitPoint? = nil) async throws -> MPinAnswer {
        let mpinId = holder.enrolment.mpinId
        let prover = MPinProver(identity: try MPinIdentityPoint(digest: try holder.enrolment.hash))
        let commitment = Hex.encode(prover.commitment.encoded)
        let call: @Sendable (MPinScenarioClient) async throws -> HTTPReply = { try await $0.pass1(mpinId, commitment) }
        let reply: HTTPReply
        if let point { reply = try await surviving(point, call) } else { reply = try await calling(call) }
        try #require(reply.status == 200, "\(reply)")
        let challenge = try MPinChallenge(encoded: try #require(Hex.decode(reply["y"]?.text ?? "")))
        let response = try prover.respond(to: challenge, token: holder.token, pin: try MPinPIN(pin))
        return MPinAnswer(
            mpinId: mpinId, response: Hex.encode(response.encoded), handle: try #require(reply["handle"]?.text))
    }

    /// Does both passes and redeems the verdict. Pass 2 meets the fault.
    func prove(_ holder: MPinHolder, pin: String, at point: CommitPoint) async throws -> HTTPReply {
        let answer = try await answer(holder, pin: pin)
        let proved = try await surviving(point) { try await $0.pass2(answer) }
        try #require(proved.status == 200, "\(point): \(proved)")
        let again = try await calling { try await $0.pass2(answer) }
        #expect(again["authOTT"] == proved["authOTT"], "the same response has the same token")
        return try await redeem(proved)
    }

    /// Redeems the verdict of a pass 2. The call has a key, as one that is repeated needs.
    func redeem(_ proved: HTTPReply, at point: CommitPoint? = nil) async throws -> HTTPReply {
        let body: JSONValue = ["authOTT": .string(try #require(proved["authOTT"]?.text))], key = Person.word()
        let call: @Sendable (MPinScenarioClient) async throws -> HTTPReply = { pins in
            try await pins.client.post(pins.path("authenticate"), body, key: key)
        }
        guard let point else { return try await calling(call) }
        return try await surviving(point, call)
    }
}
