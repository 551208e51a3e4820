import Canonical
import Credentials
import Foundation
@testable import Identity
import Keys
import Ledger
import TenureAPI
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct MPinReclaimTests {
    private static let address = "zoe@\(MPinStage.company)"

    /// An app that may reclaim addresses of the tenant, whose domain is confirmed.
    private func personnel(_ stage: MPinStage) async throws -> AppCaller {
        let app = try await stage.commands.createApp(name: "personnel", roles: [.access, .administration])
        try await stage.commands.linkApp(app.appId, to: MPinStage.company, roles: [.access, .administration])
        try await stage.commands.confirmDomain(company: MPinStage.company)
        return try await stage.context.run(
            AuthenticateApp(appId: app.appId.uuidString.lowercased(), secret: app.secret), Call(requestId: "app"))
    }

    /// A user who claimed the address, with an account or without.
    private func claim(_ stage: MPinStage, of user: UserID) async throws {
        let stream = StreamID.user(user)
        let (key, insertion) = try await stage.context.personKeys.create(id: user.uuid, ledger: stream.ledger.uuid)
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        try await stage.append(
            [
                CredentialsSet(
                    userID: user, credentialID: CredentialID(UUID()), record: [1],
                    email: Personal(owner: user.uuid, text: Self.address), challenge: [1], deviceSignature: signature,
                    userSignature: signature)
            ], to: stream, keys: [user.uuid: key],
            claims: [Claim(key: stage.context.ring.addressClaim(try EmailAddress(Self.address)), owner: user.uuid)],
            statements: [insertion])
    }

    private func reclaim(_ stage: MPinStage, by app: AppCaller) async throws -> DecisionResponse {
        try await stage.context.run(
            ReclaimEmail(
                EmailReclaimRequest(email: "Zoe@\(MPinStage.company)", reason: "left"), company: MPinStage.company,
                caller: .app(app)),
            Call(requestId: "reclaim"))
    }

    @Test func `a reclaimed address ends its identities in the same append, and no others`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let app = try await personnel(stage), user = UserID(UUID())
            try await claim(stage, of: user)
            let live = try await stage.identity(Self.address)
            let started = try await stage.identity("ZOE@\(MPinStage.company)", slot: 1, isRegistered: false)
            let ended = try await stage.identity(Self.address, slot: 2, isRegistered: false)
            try await stage.append([MPinRevoked(reason: .superseded, by: .policy)], to: .mpin(ended, in: stage.tenant))
            let other = try await stage.identity("other@\(MPinStage.company)")
            guard case .done = try await reclaim(stage, by: app) else {
                Issue.record("the app was asked to sign")
                return
            }
            for id in [live, started] { #expect(try await stage.state(id).end == .revoked(.reclaimed)) }
            #expect(try await stage.state(ended).end == .revoked(.superseded))
            #expect(try await stage.state(other).end == nil)
            let events = try await stage.context.reader.ledger(stage.ledger, after: 0, limit: 1_000).events
            let position = try #require(events.last?.position)
            #expect(events.suffix(3).map(\.type).sorted() == ["AddressReclaimed", "MPinRevoked", "MPinRevoked"])
            #expect(events.suffix(3).allSatisfy { $0.requestId == "reclaim" } && position == Int64(events.count))
            #expect(try await stage.findings().filter { !$0.hasPrefix("Employee") } == [])
        }
    }

    @Test func `an identity that is linked to the account ends with it`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let app = try await personnel(stage), user = UserID(UUID())
            let employee = try await stage.register("zoe", user: user)
            try await claim(stage, of: user)
            let id = try await stage.identity(Self.address, isRegistered: false)
            try await stage.link(id, to: employee)
            _ = try await reclaim(stage, by: app)
            #expect(try await stage.state(id).end == .revoked(.reclaimed))
            let account = try await StateLoader(reader: stage.context.reader).employee(employee, in: stage.tenant)
            #expect(account.state.account?.isCancelled == true)
            // Whoever registers with the address later starts anew.
            let next = try await stage.identity(Self.address, slot: 1)
            #expect(try await stage.state(next).status(at: .now()) == .registered)
        }
    }

    @Test func `an identity that starts meanwhile makes the reclaim decide again`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let app = try await personnel(stage)
            _ = try await stage.identity(Self.address)
            let access = try await stage.context.access(MPinStage.company, .app(app), role: .administration)
            let call = UseCaseRun<DecisionResponse>(context: stage.context, call: Call(requestId: "race"))
            var recorder = DecisionRecorder(access: access, call)
            let found = try await ReclaimedMPinIdentities(
                of: EmailAddress(Self.address), in: access, stage.context)
            _ = try await stage.identity(Self.address, slot: 1)
            let signing = StatementExchange(context: stage.context, access: access)
            let statement = ReclaimStatement(
                context: try await signing.statementContext(at: .now()), user: UUID(), reason: "reclaimed")
            let decision = try access.decision(try signing.vouch(statement, app.presented))
            try found.record(decision, in: &recorder)
            let error = await #expect(throws: LedgerError.self) { try await recorder.append(nil) }
            #expect(error?.isWorthDecidingAgain == true)
        }
    }
}
