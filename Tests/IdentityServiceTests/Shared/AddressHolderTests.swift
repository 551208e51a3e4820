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
    /// A user with an address. `claims` are those that the registration took; without them, those of old programs.
    fileprivate func user(_ text: String, _ claims: [Claim]? = nil, id: UserID = UserID(UUID())) async throws -> UserID
    {
        let stream = StreamID.user(id), address = try EmailAddress(text)
        let (key, insertion) = try await context.personKeys.create(id: id.uuid, ledger: stream.ledger.uuid)
        let signature = try #require(SignatureBytes([UInt8](repeating: 1, count: 64)))
        try await append(
            [
                CredentialsSet(
                    userID: id, credentialID: CredentialID(UUID()), record: [1],
                    email: Personal(owner: id.uuid, text: text), challenge: [1], deviceSignature: signature,
                    userSignature: signature)
            ], to: stream, keys: [id.uuid: key],
            claims: claims ?? [Claim(key: context.ring.emailClaim(address), owner: id.uuid)], statements: [insertion])
        return id
    }

    fileprivate var holders: AddressHolders { AddressHolders(context: context) }

    fileprivate func holder(of text: String) async throws -> UserID? {
        try await holders.holder(of: try EmailAddress(text))
    }

    /// A user as today's registration makes one.
    fileprivate func newcomer(_ text: String) async throws -> UserID {
        let id = UserID(UUID())
        return try await user(text, try await holders.claims(on: try EmailAddress(text), for: id), id: id)
    }

    fileprivate func collisions() async throws -> [AddressCollision] {
        try await AddressCollisions(pool: readers, masters: MasterKeyStore(installation.masters)).find()
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AddressHolderTests {
    @Test func `a claim of an old program counts for the address that its owner registered`() async throws {
        try await MPinStage.run { stage in
            let old = try await stage.user("Zoe@Strasse.example")
            #expect(try await stage.holder(of: "zoe@STRASSE.example") == old)
            #expect(try await stage.holder(of: "zoe@straße.example") == nil)
            // Somebody with the other address takes it by its key alone; the folded form is taken.
            let other = try await stage.newcomer("zoe@straße.example")
            #expect(try await stage.claims(of: other.uuid) == ["address"])
            #expect(try await stage.holder(of: "Zoe@xn--strae-oqa.example") == other)
            #expect(try await stage.holder(of: "zoe@strasse.example") == old)
            #expect(try await stage.collisions() == [])
        }
    }

    @Test func `a registration takes both claims, and nobody else's address`() async throws {
        try await MPinStage.run { stage in
            let first = try await stage.newcomer("a@müller.example")
            #expect(try await stage.claims(of: first.uuid) == ["address", "email"])
            for text in ["A@MÜLLER.example", "a@xn--mller-kva.example", "a@mu\u{308}ller.example"] {
                #expect(try await stage.holder(of: text) == first, "\(text)")
                let error = await #expect(throws: ServiceError.self) { _ = try await stage.newcomer(text) }
                #expect(error?.code == .requestStale)
            }
            // Whoever decided before this registration meets its claims.
            let address = try EmailAddress("a@müller.example")
            for key in [stage.context.ring.addressClaim(address), stage.context.ring.emailClaim(address)] {
                let error = await #expect(throws: LedgerError.self) {
                    _ = try await stage.user("a@müller.example", [Claim(key: key, owner: UUID())])
                }
                #expect(error?.code == .claimTaken)
            }
        }
    }

    @Test func `of two owners the earlier one holds the address, unless the other one verified it`() async throws {
        try await MPinStage.run { stage in
            let earlier = try await stage.user("b@xn--strae-oqa.example"),
                later = try await stage.user("b@straße.example")
            let third = try await stage.user("b@plain.example")
            for text in ["b@straße.example", "B@XN--STRAE-OQA.example"] {
                #expect(try await stage.holder(of: text) == earlier, "\(text)")
            }
            #expect(
                try await stage.collisions() == [AddressCollision(user: later.uuid, holder: earlier.uuid)])
            let set = try await StateLoader(reader: stage.context.reader).user(later).state.address?.place.position
            try await stage.append(
                [EmailVerified(userID: later, address: try #require(set))], to: .user(later))
            for text in ["b@straße.example", "B@XN--STRAE-OQA.example"] {
                #expect(try await stage.holder(of: text) == later, "\(text)")
            }
            #expect(
                try await stage.collisions() == [AddressCollision(user: earlier.uuid, holder: later.uuid)])
            // Nobody new gets it, and each releases what is theirs.
            let error = await #expect(throws: ServiceError.self) { _ = try await stage.newcomer("b@straße.example") }
            #expect(error?.code == .requestStale)
            for (user, text) in [(earlier, "b@xn--strae-oqa.example"), (later, "b@straße.example")] {
                let key = stage.context.ring.emailClaim(try EmailAddress(text))
                #expect(
                    try await stage.holders.releases(of: user) == [ClaimRelease(key: key, owner: user.uuid)])
            }
            #expect(try await stage.holder(of: "b@plain.example") == third)
        }
    }

    @Test func `an erasure finds the holder, and releases every claim on the address`() async throws {
        try await MPinStage.run { stage in
            let old = try await stage.user("c@strasse.example"), new = try await stage.newcomer("c@straße.example")
            let plan = try await stage.erasure.plan(email: "C@straße.example")
            #expect(plan.people.map(\.id) == [new.uuid])
            await #expect(throws: ErasureError.self) { _ = try await stage.erasure.plan(email: "c@ﬆrasse.example.org") }
            for user in [new, old] {
                _ = try await stage.erasure.erase(user, includingSecurityAdmins: false)
                #expect(try await stage.claims(of: user.uuid).isDisjoint(with: ["address", "email"]))
            }
            #expect(try await stage.holder(of: "c@strasse.example") == nil)
            let again = try await stage.newcomer("c@strasse.example")
            #expect(try await stage.claims(of: again.uuid) == ["address", "email"])
        }
    }

    @Test func `a claim whose owner's address nobody can decrypt keeps everybody else out`() async throws {
        try await MPinStage.run { stage in
            let user = try await stage.user("d@strasse.example")
            try await stage.superuser("DELETE FROM tenure.person_key WHERE key_id = \(user.uuid)")
            try await MPinStage.run(stage.installation, on: stage.database) { later in
                let holders = (
                    try await later.holder(of: "d@strasse.example"), try await later.holder(of: "d@straße.example")
                )
                #expect(holders.0 == user && holders.1 == user)
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
