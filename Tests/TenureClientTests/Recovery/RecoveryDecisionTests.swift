import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// What a device signs to decide about somebody's recovery, and what a hostile service cannot make of that.
@Suite struct RecoveryDecisionTests {
    private let keys = MemoryDeviceKeyStore()
    private let store = MemorySessionStore()
    private let pins = MemoryPinStore()
    private let shown = RecoveryResponse.Subject(tenantId: UUID(), userId: UUID(), employeeId: UUID())
    private let fingerprint: String

    init() throws { fingerprint = try EmployeeKey.generate().publicKey.fingerprint }

    private func session(_ transport: StubTransport) async throws -> EmployeeSession {
        let client = TenureClient(
            baseURL: "https://id.example/", appCredentials: AppCredentials(appId: "app", secret: "s:c"),
            transport: transport, retries: RetryPolicy(attempts: 2, firstWait: .milliseconds(1)), keyStore: keys,
            sessionStore: store, pinStore: pins)
        let account = client.account(companyName: "A", companyEmployeeId: "7")
        await store.keep(
            SessionTokens(accessToken: "a", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "r"),
            of: account)
        _ = try await keys.makeKey(of: account)
        return try #require(try await client.session(companyName: "A", companyEmployeeId: "7"))
    }

    private func pinTenant(_ tenant: UUID) async throws {
        await pins.keep(
            CredentialPin(tenant: tenant, credentialId: UUID(), recordHash: [1], contextHash: [2]),
            of: try PinnedAccount(baseURL: "https://id.example", company: "a", employee: "7"))
    }

    private func own(_ session: EmployeeSession) async throws -> EmployeeKey {
        try #require(await keys.key(of: session.account) as? EmployeeKey)
    }

    private func statement(
        _ action: RecoveryStatement.Action, signer: EmployeePublicKey,
        change: (inout RecoveryStatement) -> Void = { _ in }
    ) throws -> RecoveryStatement {
        let hash = [UInt8](repeating: 1, count: 32)
        let reasons: [RecoveryStatement.Action: String] = [.open: "opened", .confirm: "confirmed", .cancel: "mistake"]
        var statement = RecoveryStatement(
            context: StatementContext(
                tenant: shown.tenantId, signer: try StatementKey(bytes: signer.bytes), authority: hash,
                ledgerSize: 3, ledgerRoot: hash, expires: Timestamp.now().adding(.seconds(60)), nonce: hash),
            action: action, user: shown.userId, employee: shown.employeeId,
            keyHash: try #require(Hex.decode(fingerprint)), followsHash: hash,
            seconds: action == .open ? 259_200 : nil, reason: reasons[action] ?? "")
        change(&statement)
        return statement
    }

    private func asking(_ bytes: [UInt8]) -> StubTransport.Step {
        StubTransport.json(DecisionResponse.signatureRequired(statement: bytes))
    }

    @Test(arguments: RecoveryStatement.Action.allCases)
    func `this device signs exactly the decision and sends it to its own endpoint`(
        action: RecoveryStatement.Action
    ) async throws {
        let signer = try await own(try await session(StubTransport([]))).publicKey
        try await pinTenant(shown.tenantId)
        let bytes = try statement(action, signer: signer).bytes
        let transport = StubTransport([
            .lose, asking(bytes), .lose, StubTransport.json(DecisionResponse.done(nil, position: 9)),
        ])
        let session = try await session(transport)
        let spoken = Fingerprint.readable(fingerprint.uppercased())
        let step = try await session.decideRecovery(action, of: "lost", fingerprint: spoken, shown: shown)
        guard case .sign(let decision) = step else { throw StubTransport.Lost() }
        #expect(decision.statement.bytes == bytes)
        #expect(try await decision.sign() == 9)
        let place = ["open": "opening", "confirm": "confirmation", "cancel": "cancellation"][action.rawValue] ?? ""
        let sent = await transport.sent
        #expect(
            sent.map(\.url)
                == Array(
                    repeating: "https://id.example/v1/companies/A/employees/lost/recoveries/\(fingerprint)/\(place)",
                    count: 4))
        #expect(sent.allSatisfy { $0.headers["Authorization"] == "Bearer a" })
        // What was lost is sent again as the same request.
        let idempotency = sent.map { $0.headers[HeaderName.idempotencyKey] }
        #expect(
            idempotency[0] == idempotency[1] && idempotency[2] == idempotency[3] && idempotency[1] != idempotency[2])
        let last = try #require(sent.last?.body)
        let body =
            action == .cancel
            ? try DecisionRequest(jsonWithReason: StrictJSON.parse(last)) : try DecisionRequest(bytes: last)
        let signed = try #require(body.signed)
        #expect(signed.statement == bytes)
        _ = try RecoveryStatement(parsing: bytes, expecting: action.tag).verify(proof: signed.signature)
    }

    /// Statements that say something else, by what is different.
    private func crafted(_ difference: String, signer: EmployeePublicKey) throws -> [UInt8] {
        let other = try EmployeeKey.generate().publicKey
        switch difference {
        case "opening": return try statement(.open, signer: signer).bytes
        case "cancellation": return try statement(.cancel, signer: signer).bytes
        // The tag of the decision over the members of another.
        case "tag": return Array("tenure/v1/recovery-confirmation\n".utf8) + (try members(of: .cancel, signer))
        case "tenant": return try statement(.confirm, signer: signer) { $0.context.tenant = UUID() }.bytes
        case "user": return try statement(.confirm, signer: signer) { $0.user = UUID() }.bytes
        case "employee": return try statement(.confirm, signer: signer) { $0.employee = UUID() }.bytes
        case "key":
            let hash = try #require(Hex.decode(other.fingerprint))
            return try statement(.confirm, signer: signer) { $0.keyHash = hash }.bytes
        case "signer": return try statement(.confirm, signer: other).bytes
        case "reason": return try statement(.confirm, signer: signer) { $0.reason = "other" }.bytes
        case "seconds": return try statement(.confirm, signer: signer) { $0.seconds = 60 }.bytes
        case "authorization": return try authorization(of: other, signer: signer)
        case "nonsense": return [1, 2, 3]
        default: return []
        }
    }

    private func members(of action: RecoveryStatement.Action, _ signer: EmployeePublicKey) throws -> ArraySlice<UInt8> {
        let bytes = try statement(action, signer: signer).bytes
        let line = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        return bytes[(line + 1)...]
    }

    /// An authorization of a key, which would let it in.
    private func authorization(of key: EmployeePublicKey, signer: EmployeePublicKey) throws -> [UInt8] {
        let hash = [UInt8](repeating: 1, count: 32)
        return KeyStatement(
            context: try statement(.confirm, signer: signer).context, action: .authorize, employee: shown.employeeId,
            userKeyHash: hash, employeeKey: key, reason: "confirmed", presentedHash: hash, policyHash: nil
        ).bytes
    }

    @Test(arguments: [
        "opening", "cancellation", "tag", "tenant", "user", "employee", "key", "signer", "reason", "seconds",
        "authorization", "nonsense", "empty",
    ])
    func `no other statement is signed`(difference: String) async throws {
        let signer = try await own(try await session(StubTransport([]))).publicKey
        let transport = StubTransport([asking(try crafted(difference, signer: signer))])
        let session = try await session(transport)
        let refused = await code {
            _ = try await session.decideRecovery(.confirm, of: "lost", fingerprint: fingerprint, shown: shown)
        }
        #expect(refused == "client.signing_refused")
        #expect(await transport.sent.count == 1)
    }

    @Test func `without a list only the pinned tenant is accepted`()
        async throws
    {
        let signer = try await own(try await session(StubTransport([]))).publicKey
        let bytes = try statement(.confirm, signer: signer).bytes
        try await pinTenant(UUID())
        let session = try await session(StubTransport([asking(bytes), asking(bytes)]))
        func decide() async throws {
            _ = try await session.decideRecovery(.confirm, of: "lost", fingerprint: fingerprint)
        }
        #expect(await code(decide) == "client.signing_refused")
        try await pinTenant(shown.tenantId)
        #expect(await code(decide) == nil)
    }

    @Test func `an opening lasts at most twice the longest delay plus three days`() async throws {
        let signer = try await own(try await session(StubTransport([]))).publicKey
        let longer = try statement(.open, signer: signer) { $0.seconds = 1_468_801 }.bytes
        let session = try await session(StubTransport([asking(longer)]))
        let refused = await code {
            _ = try await session.decideRecovery(.open, of: "lost", fingerprint: fingerprint, shown: shown)
        }
        #expect(refused == "client.signing_refused")
    }

    @Test func `a cancellation has the given reason`() async throws {
        let signer = try await own(try await session(StubTransport([]))).publicKey
        let bytes = try statement(.cancel, signer: signer).bytes
        let session = try await session(StubTransport([asking(bytes), asking(bytes)]))
        for (reason, expected) in [("mistake", nil), ("stranger", "client.signing_refused")] as [(String, String?)] {
            let result = await code {
                _ = try await session.decideRecovery(.cancel, of: "lost", fingerprint: fingerprint, reason: reason)
            }
            #expect(result == expected, "\(reason)")
        }
    }

    @Test func `a decision already taken needs no signature, and a malformed fingerprint sends no request`()
        async throws
    {
        let transport = StubTransport([StubTransport.json(DecisionResponse.done(nil, position: nil))])
        let session = try await session(transport)
        guard
            case .done(nil) = try await session.decideRecovery(.open, of: "lost", fingerprint: fingerprint)
        else { throw StubTransport.Lost() }
        for text in ["", "zz", String(fingerprint.dropLast(2)), fingerprint + "00"] {
            let result = await code { _ = try await session.decideRecovery(.open, of: "lost", fingerprint: text) }
            #expect(result == "recovery.unknown", "\(text)")
        }
        #expect(await transport.sent.count == 1)
    }

    @Test(arguments: [
        ("recovery.unknown", TenureClientError.Kind.recoveryUnknown),
        ("recovery.in_progress", .recoveryInProgress), ("recovery.other_companies", .recoveryOtherCompanies),
        ("authorization.not_permitted", .authorizationNotPermitted), ("request.stale", .requestStale),
    ])
    func `a refusal of the service keeps its own kind`(problem: String, kind: TenureClientError.Kind) async throws {
        let session = try await session(StubTransport([StubTransport.problem(problem)]))
        let error = await #expect(throws: TenureClientError.self) {
            _ = try await session.decideRecovery(.open, of: "lost", fingerprint: fingerprint)
        }
        #expect(error?.kind == kind)
    }

    @Test func `a decision is cancelled with its task`() async throws {
        let session = try await session(StubTransport([.lose, .lose]))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await session.decideRecovery(.open, of: "lost", fingerprint: fingerprint)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
