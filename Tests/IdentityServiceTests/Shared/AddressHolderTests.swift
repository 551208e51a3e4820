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
    fileprivate func user(_ text: String, _ claim: Claim, id: UserID = UserID(UUID())) async throws -> UserID {
        let stream = StreamID.user(id)
        let (key, insertion) = try await context.personKeys.create(id: id.uuid, ledger: stream.ledger.uuid)
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        try await append(
            [
                CredentialsSet(
                    userID: id, credentialID: CredentialID(UUID()), record: [1],
                    email: Personal(owner: id.uuid, text: text), challenge: [1], deviceSignature: signature,
                    userSignature: signature)
            ], to: stream, keys: [id.uuid: key],
            claims: [claim], statements: [insertion])
        return id
    }

    fileprivate var holders: AddressHolders { AddressHolders(context: context) }

    fileprivate func holder(of text: String) async throws -> UserID? {
        try await holders.holder(of: try EmailAddress(text))
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
