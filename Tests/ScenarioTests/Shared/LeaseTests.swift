import Canonical
import Credentials
import ErrorCodes
import IdentityService
import Postgres
import TenureAPI
import TenureServer
import Testing

/// A call that is still at work when its minute is over, and the one that takes its place.
@Suite(.onServer)
struct `A call that lost its idempotency lease` {
    private func call(_ seconds: Int, _ key: String = "slow") -> Call {
        Call(
            requestId: Person.word(), time: Timestamp.now().adding(.seconds(seconds)), idempotencyKey: key,
            fingerprintInput: [[1, 2, 3]])
    }

    @Test(arguments: [false, true]) func `writes nothing, and the other call's outcome stands`(
        isDevice: Bool
    ) async throws {
        try await inTurn { world in
            let founder = try await world.client.found("lease.example")
            let service = world.service
            let app = try await service.caller(world.app)
            let work: @Sendable (Int) async throws -> KeptReply<FlowOutcomeResponse>
            if isDevice {
                let flow = try await Flow.change(founder.person, founder.device, try world.client)
                let proof = try bytes(base64: try founder.device.sign(base64: flow.challenge))
                work = { seconds in
                    try await service.reply(
                        to: ProveKey(proof, purpose: .change, flow: flow.handle, app: app), call(seconds))
                }
            } else {
                let flow = try await BlindFlow.start(.changes, founder.person, founder.device, try world.client)
                let opening = try flow.opening(passphrase: try #require(founder.person.passphrase))
                let key = try #require(try await flow.open(opening))
                let signature = try bytes(base64: try flow.proof(by: key)["userSignature"]?.text)
                work = { seconds in
                    try await service.reply(
                        to: ProveCredential(
                            ProofRequest(userSignature: signature), purpose: .change, flow: flow.flow.handle, app: app),
                        call(seconds))
                }
            }
            var slow: Task<KeptReply<FlowOutcomeResponse>, any Error>?,
                next: Task<KeptReply<FlowOutcomeResponse>, any Error>?
            try await world.holding("tenure.flow") {
                slow = Task { try await work(0) }
                try await world.writersWait(for: "tenure.flow")
                next = Task { try await work(61) }
                try await world.writersWait(for: "tenure.flow", count: 2)
            }
            let lost = try #require(await slow?.result), taken = try #require(await next?.result)
            #expect(throws: ServiceError(.idempotencyInProgress, retryAfterSeconds: 1)) { try lost.get() }
            #expect(try await work(62) == taken.get())
        }
    }

    @Test func `receives no evaluation that a repeated call would not receive`() async throws {
        try await inTurn { world in
            let founder = try await world.client.found("lease-evaluation.example")
            let service = world.service
            let app = try await service.caller(world.app)
            let flow = try await BlindFlow.start(.logins, founder.person, founder.device, try world.client)
            let first = try flow.opening(passphrase: try #require(founder.person.passphrase)).first()
            let element = EvaluationsRequest.Element(slot: Int64(first.slot.byte), element: first.element)
            let work: @Sendable (Int) async throws -> KeptReply<EvaluationsResponse> = { seconds in
                try await service.reply(
                    to: EvaluateElements([element], purpose: .login, flow: flow.flow.handle, app: app), call(seconds))
            }
            var slow: Task<KeptReply<EvaluationsResponse>, any Error>?,
                next: Task<KeptReply<EvaluationsResponse>, any Error>?
            try await world.holding("tenure.budget") {
                slow = Task { try await work(0) }
                try await world.writersWait(for: "tenure.budget")
                next = Task { try await work(61) }
                // The head of the directory is the first one's, so the other one waits for that.
                try await world.until {
                    try await world.number(
                        "SELECT count(*) FROM tenure.idempotency WHERE lease_until > now() + interval '100 seconds'")
                        == 1
                }
            }
            let lost = try #require(await slow?.result), taken = try #require(await next?.result)
            #expect(throws: ServiceError(.idempotencyInProgress, retryAfterSeconds: 1)) { try lost.get() }
            // The slow one charged the attempt of this step, so the other one is refused: the same each time.
            #expect(throws: ServiceError(.flowWrongStep)) { try taken.get() }
            await #expect(throws: ServiceError(.flowWrongStep)) { try await work(62) }
        }
    }

    /// Validates the passphrase of a log-in at a new company, always with the same key, so many seconds from now.
    private func validation(
        _ company: String, _ world: TenureWorld
    ) async throws -> @Sendable (Int) async throws -> KeptReply<FlowOutcomeResponse> {
        let founder = try await world.client.found(company)
        let service = world.service
        let app = try await service.caller(world.app)
        let flow = try await Flow.logIn(founder.person, founder.device, try world.client)
        _ = try await flow.prove(founder.device)
        let phrase = try #require(founder.person.passphrase)
        return { seconds in
            try await service.reply(
                to: ValidateCredential(.passphrase(phrase), purpose: .login, flow: flow.handle, app: app),
                call(seconds))
        }
    }

    @Test func `commits no event, and no session`() async throws {
        try await inTurn { world in
            let work = try await validation("lease-login.example", world)
            var slow: Task<KeptReply<FlowOutcomeResponse>, any Error>?,
                next: Task<KeptReply<FlowOutcomeResponse>, any Error>?
            try await world.holding("tenure.session") {
                slow = Task { try await work(0) }
                try await world.writersWait(for: "tenure.session")
                // It cannot get as far as the first one while that holds the head of the company's ledger.
                next = Task { try await work(61) }
                try await world.until {
                    try await world.number(
                        """
                        SELECT count(*) FROM tenure.idempotency WHERE lease_until > now() + interval '100 seconds'
                        """) == 1
                }
            }
            let lost = try #require(await slow?.result), taken = try #require(await next?.result)
            #expect(throws: ServiceError(.idempotencyInProgress, retryAfterSeconds: 1)) { try lost.get() }
            guard case .success? = try taken.get().answer else {
                Issue.record("\(taken)")
                return
            }
            #expect(try await work(62) == taken.get())
            let events = try await world.client.events("lease-login.example", "type=PassphraseValidated")
            #expect(events.count == 1)
        }
    }

    /// The database may lose the place of a call in a crash, because nothing waited for the disk when it was taken.
    @Test func `in a crash writes nothing, and the repeated call does`() async throws {
        try await inTurn { world in
            let work = try await validation("lost-place.example", world)
            var slow: Task<KeptReply<FlowOutcomeResponse>, any Error>?
            try await world.holding("tenure.session") {
                slow = Task { try await work(0) }
                try await world.writersWait(for: "tenure.session")
                let lost = try await world.number(
                    """
                    WITH lost AS (DELETE FROM tenure.idempotency WHERE state = 'running' RETURNING 1)
                    SELECT count(*) FROM lost
                    """)
                #expect(lost == 1)
            }
            let lost = try #require(await slow?.result)
            #expect(throws: ServiceError(.idempotencyInProgress, retryAfterSeconds: 1)) { try lost.get() }
            #expect(try await world.client.events("lost-place.example", "type=PassphraseValidated").isEmpty)
            // What the first one was charged stays charged; the flow is where it was.
            let again = try await work(1)
            guard case .success? = again.answer else {
                Issue.record("\(again)")
                return
            }
            #expect(try await work(2) == again)
            #expect(try await world.client.events("lost-place.example", "type=PassphraseValidated").count == 1)
        }
    }

    /// Whichever of the two comes first at the session's row: several times, because it is not the test that decides.
    @Test func `does not consume a refresh token or report the other call as theft`() async throws {
        try await inTurn { world in
            let founder = try await world.client.found("lease-refresh.example")
            let service = world.service
            var token = founder.refreshToken
            for round in 0..<4 {
                let work: @Sendable (Int) async throws -> KeptReply<SessionResponse> = { [token] seconds in
                    try await service.reply(
                        to: RefreshSession(refreshToken: token), call(seconds, "slow-\(round)"))
                }
                var slow: Task<KeptReply<SessionResponse>, any Error>?,
                    next: Task<KeptReply<SessionResponse>, any Error>?
                try await world.holding("tenure.session") {
                    slow = Task { try await work(0) }
                    try await world.writersWait(for: "tenure.session")
                    next = Task { try await work(61) }
                    try await world.writersWait(for: "tenure.session", count: 2)
                }
                let lost = try #require(await slow?.result), taken = try #require(await next?.result)
                #expect(throws: ServiceError(.idempotencyInProgress, retryAfterSeconds: 1)) { try lost.get() }
                #expect(try await work(62) == taken.get())
                let tokens = try #require(try taken.get().answer)
                let session = try await world.client.get("/v1/sessions", by: .session(tokens.accessToken))
                #expect(session.status == 200)
                token = tokens.refreshToken
            }
        }
    }
}
