import Canonical
import Credentials
import ErrorCodes
import Foundation
@testable import Identity
import Keys
import Ledger
import Postgres
import TenureAPI
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService

extension MPinStage {
    /// A user who registered an address, with the claim that the registration takes.
    fileprivate func user(
        _ text: String, _ claim: Claim?, id: UserID = UserID(UUID()), isSecretless: Bool = false
    ) async throws -> UserID {
        let stream = StreamID.user(id)
        let (key, insertion) = try await context.personKeys.create(id: id.uuid, ledger: stream.ledger.uuid)
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        try await append(
            [
                CredentialsSet(
                    userID: id, credentialID: CredentialID(UUID()), record: [1],
                    email: Personal(owner: id.uuid, text: text), challenge: [1], deviceSignature: signature,
                    userSignature: signature, secretless: isSecretless ? true : nil)
            ], to: stream, keys: [id.uuid: key],
            claims: claim.map { [$0] } ?? [], statements: [insertion])
        return id
    }

    fileprivate var holders: AddressHolders { AddressHolders(context: context) }

    fileprivate func holder(of text: String) async throws -> UserID? {
        try await holders.holder(of: try EmailAddress(text))
    }

    /// A user who registered without a secret: nobody has confirmed the address, so there is no claim.
    fileprivate func secretless(_ text: String) async throws -> UserID {
        try await user(text, nil, isSecretless: true)
    }

    /// Opens the link of the mail to a user, or presses its button, in a browser.
    fileprivate func confirm(
        _ user: UserID, in browser: EmployeeID? = nil, isDecision: Bool = true
    ) async throws -> ConfirmEmail.Answer {
        let link = MailLink(
            .verify, recipient: user.uuid, until: Timestamp.now().adding(.seconds(600)), ring: context.ring)
        let query = link.query.split { "=&".contains($0) }.map(String.init)
        return try await context.run(
            ConfirmEmail(
                user: user.uuid.lowercased, expires: query[1], key: query[3], isDecision: isDecision,
                browser: browser.map {
                    EmployeeCaller(
                        tenantId: tenant.uuid, employeeId: $0.uuid, sessionId: UUID(), fingerprint: [],
                        secretProved: false)
                }),
            Call(requestId: "r"))
    }

    /// Changes the address of a user without a claim on the former one, and returns the use of the link that undoes it.
    fileprivate func change(_ user: UserID, to text: String) async throws -> UndoEmailChange {
        let end = Timestamp.now().adding(.seconds(600)), stream = StreamID.user(user)
        let keys = try await context.personKeys.load([user.uuid], ledger: stream.ledger.uuid)
        let claim = try await holders.claim(on: try EmailAddress(text), for: user)
        try await append(
            [EmailChanged(userID: user, email: Personal(owner: user.uuid, text: text), undoUntil: end)], to: stream,
            keys: keys, claims: [claim])
        let change = try #require(try await context.userWithAddress(user).change).place.position
        let link = MailLink(
            .addressUndo, recipient: user.uuid, until: end, about: MailLink.about(change), ring: context.ring)
        let query = link.query.split { "=&".contains($0) }.map(String.init)
        return UndoEmailChange(user: user.uuid.lowercased, expires: query[1], key: query[3], isDecision: true)
    }

    fileprivate func isVerified(_ user: UserID) async throws -> Bool {
        try await context.userWithAddress(user).isEmailVerified
    }

    /// A user as a registration makes one.
    fileprivate func newcomer(_ text: String) async throws -> UserID {
        let id = UserID(UUID())
        return try await user(text, try await holders.claim(on: try EmailAddress(text), for: id), id: id)
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AddressHolderTests {
    @Test func `addresses that fold to one text belong to two people`() async throws {
        try await MPinStage.run { stage in
            let one = try await stage.newcomer("Zoe@Strasse.example")
            #expect(try await stage.holder(of: "zoe@STRASSE.example") == one)
            #expect(try await stage.holder(of: "zoe@straße.example") == nil)
            let other = try await stage.newcomer("zoe@straße.example")
            #expect(try await stage.claims(of: other.uuid) == ["address"])
            #expect(try await stage.holder(of: "Zoe@xn--strae-oqa.example") == other)
            #expect(try await stage.holder(of: "zoe@strasse.example") == one)
        }
    }

    @Test func `a registration takes a claim, and nobody else's address`() async throws {
        try await MPinStage.run { stage in
            let first = try await stage.newcomer("a@müller.example")
            #expect(try await stage.claims(of: first.uuid) == ["address"])
            for text in ["A@MÜLLER.example", "a@xn--mller-kva.example", "a@mu\u{308}ller.example"] {
                #expect(try await stage.holder(of: text) == first, "\(text)")
                let error = await #expect(throws: ServiceError.self) { _ = try await stage.newcomer(text) }
                #expect(error?.code == .requestStale)
            }
            // Whoever decided before this registration meets its claim.
            let key = stage.context.ring.addressClaim(try EmailAddress("a@müller.example"))
            let error = await #expect(throws: LedgerError.self) {
                _ = try await stage.user("a@müller.example", Claim(key: key, owner: UUID()))
            }
            #expect(error?.code == .claimTaken)
            #expect(try await stage.holders.releases(of: first) == [ClaimRelease(key: key, owner: first.uuid)])
        }
    }

    @Test func `an erasure finds the holder, and releases the claim on the address`() async throws {
        try await MPinStage.run { stage in
            let old = try await stage.newcomer("c@strasse.example"), new = try await stage.newcomer("c@straße.example")
            let plan = try await stage.erasure.plan(email: "C@straße.example")
            #expect(plan.people.map(\.id) == [new.uuid])
            await #expect(throws: ErasureError.self) { _ = try await stage.erasure.plan(email: "c@ﬆrasse.example.org") }
            for user in [new, old] {
                _ = try await stage.erasure.erase(user, includingSecurityAdmins: false)
                #expect(try await !stage.claims(of: user.uuid).contains("address"))
            }
            #expect(try await stage.holder(of: "c@strasse.example") == nil)
            let again = try await stage.newcomer("c@strasse.example")
            #expect(try await stage.claims(of: again.uuid) == ["address"])
        }
    }

    @Test func `a claim whose owner's address nobody can decrypt keeps everybody else out`() async throws {
        try await MPinStage.run { stage in
            let user = try await stage.newcomer("d@strasse.example")
            try await stage.superuser("DELETE FROM tenure.person_key WHERE key_id = \(user.uuid)")
            try await MPinStage.run(stage.installation, on: stage.database) { later in
                let address = try EmailAddress("D@strasse.example")
                #expect(try await later.holders.holder(of: address) == user)
                #expect(try await later.holders.releases(of: user) == [])
                let key = later.context.ring.addressClaim(address)
                #expect(
                    try await later.holders.releases(of: user, address) == [ClaimRelease(key: key, owner: user.uuid)])
            }
        }
    }

    @Test func `M-Pin identities end with the address that is their user id, and with no other`() async throws {
        try await MPinStage.run { stage in
            _ = try await stage.register("1", isFounding: true)
            let app = try await stage.commands.createApp(name: "hr", roles: [.access, .administration])
            try await stage.commands.linkApp(app.appId, to: MPinStage.company, roles: [.access, .administration])
            let caller = try await stage.context.run(
                AuthenticateApp(appId: app.appId.uuidString.lowercased(), secret: app.secret), Call(requestId: "app"))
            let access = try await stage.context.access(MPinStage.company, .app(caller), role: .administration)
            let unicode = try await stage.identity("e@straße.example", isRegistered: false)
            let ascii = try await stage.identity("E@xn--strae-oqa.example", isRegistered: false)
            _ = try await stage.identity("e@strasse.example", slot: 1, isRegistered: false)
            let found = try await ReclaimedMPinIdentities(
                of: EmailAddress("e@straße.example"), in: access, stage.context)
            let signing = StatementExchange(context: stage.context, access: access)
            let statement = ReclaimStatement(
                context: try await signing.statementContext(at: .now()), user: UUID(), reason: "reclaimed")
            let decided = try found.decide(try access.decision(try signing.vouch(statement, caller.presented)))
            #expect(Set(decided.map(\.stream.id)) == [unicode.uuid, ascii.uuid])
        }
    }
}

/// Whoever registered without a secret, and confirms the address.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AddressConfirmationTests {
    private static let address = "zoe@mail.example"

    @Test func `the link names the accounts whose address it confirms`() async throws {
        try await MPinStage.run { stage in
            let user = try await stage.secretless(Self.address)
            _ = try await stage.register("zoe", isFounding: true, user: user)
            guard case .pending(let accounts) = try await stage.confirm(user, isDecision: false) else {
                Issue.record("no question")
                return
            }
            #expect(accounts.map(\.companyEmployeeId) == ["zoe"])
            #expect(accounts.map(\.companyName) == [MPinStage.company])
        }
    }

    @Test func `of two who registered with an address the first one who confirms it has it`() async throws {
        try await MPinStage.run { stage in
            let first = try await stage.secretless(Self.address), second = try await stage.secretless(Self.address)
            #expect(try await stage.confirm(second) == .verified)
            #expect(try await stage.holder(of: Self.address) == second)
            let own = try await stage.register("first", isFounding: true, user: first)
            for browser in [nil, own] {
                let error = await #expect(throws: ServiceError.self) { _ = try await stage.confirm(first, in: browser) }
                #expect(error?.code == .authorizationNotPermitted)
            }
            #expect(try await !stage.isVerified(first))
        }
    }

    @Test func `a stranger who has registered with the address meanwhile gives way, in the owner's browser only`()
        async throws
    {
        try await MPinStage.run { stage in
            let owner = try await stage.secretless(Self.address)
            let own = try await stage.register("zoe", isFounding: true, user: owner)
            let stranger = try await stage.newcomer(Self.address)
            let other = try await stage.register("mallory", user: stranger)
            for browser in [nil, other] {
                let error = await #expect(throws: ServiceError.self) { _ = try await stage.confirm(owner, in: browser) }
                #expect(error?.code == .sessionLoginRequired)
                #expect(try await stage.holder(of: Self.address) == stranger)
                #expect(try await !stage.isVerified(owner))
            }
            #expect(try await stage.confirm(owner, in: own) == .verified)
            #expect(try await stage.holder(of: Self.address) == owner)
            #expect(try await stage.isVerified(owner))
            let lost = try await stage.context.userWithAddress(stranger)
            #expect(!lost.holdsEmail && lost.gaveWayAt != nil)
            // A second press changes nothing, and the stranger confirms nothing any more.
            #expect(try await stage.confirm(owner, in: own) == .verified)
            #expect(try await stage.confirm(stranger, in: other) == .invalid)
        }
    }

    @Test func `whoever has confirmed the address, or is vouched for, keeps it`() async throws {
        try await MPinStage.run { stage in
            let owner = try await stage.secretless(Self.address)
            let own = try await stage.register("zoe", isFounding: true, user: owner)
            // Nobody vouches for a holder without any account: somebody may have deleted the rows.
            let holder = try await stage.newcomer(Self.address)
            for isConfirmed in [false, true] {
                if isConfirmed { #expect(try await stage.confirm(holder) == .verified) }
                let error = await #expect(throws: ServiceError.self) { _ = try await stage.confirm(owner, in: own) }
                #expect(error?.code == .authorizationNotPermitted)
                #expect(try await stage.holder(of: Self.address) == holder)
            }
        }
    }

    @Test func `two who confirm at once are told who has it, and no claim is an error`() async throws {
        try await MPinStage.run { stage in
            for round in 1...8 {
                let address = "zoe\(round)@mail.example"
                let users = [try await stage.secretless(address), try await stage.secretless(address)]
                let outcomes = await Self.atOnce(users.map { user in { "\(try await stage.confirm(user))" } })
                #expect(outcomes.sorted() == ["authorization.not_permitted", "verified"])
            }
        }
    }

    @Test func `a change is not undone to an address that somebody else has by now`() async throws {
        try await MPinStage.run { stage in
            let user = try await stage.secretless(Self.address)
            let undo = try await stage.change(user, to: "new@mail.example")
            let other = try await stage.newcomer(Self.address)
            #expect(try await stage.context.run(undo, Call(requestId: "r")) == .invalid)
            #expect(try await stage.holder(of: Self.address) == other)
            #expect(try await stage.context.userWithAddress(user).email?.text == "new@mail.example")
        }
    }

    @Test func `a change that is undone twice at once is undone, and no claim is an error`() async throws {
        try await MPinStage.run { stage in
            let user = try await stage.secretless(Self.address)
            let undo = try await stage.change(user, to: "new@mail.example")
            let press: @Sendable () async throws -> String = {
                "\(try await stage.context.run(undo, Call(requestId: "r")))"
            }
            #expect(await Self.atOnce([press, press]).sorted() == ["invalid", "verified"])
            #expect(try await stage.holder(of: Self.address) == user)
        }
    }

    /// What comes of calls at once: an answer, or the code of a refusal.
    private static func atOnce(_ calls: [@Sendable () async throws -> String]) async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for call in calls {
                group.addTask {
                    do { return try await call() } catch {
                        return (error as? ServiceError)?.code.rawValue ?? "\(error)"
                    }
                }
            }
            var all: [String] = []
            for await outcome in group { all.append(outcome) }
            return all
        }
    }
}
