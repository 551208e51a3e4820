import Foundation
@testable import Identity
import Ledger
import TestSupport
import Testing

@testable import Credentials
@testable import IdentityService

/// What whoever has the database *and* the key that signs the log can do to the trail of credentials: every tree here is
/// hashed and signed anew over what the forger wants, so that only what the events say can tell.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct CredentialTamperingTests {
    /// Records events in a log of its own, seals it and verifies it.
    ///
    /// - Parameter anchor: What an auditor kept of the true log, whose key is the same.
    private func verify(
        _ events: [NewEvent], anchor: Anchor? = nil, of ledger: LedgerID? = nil
    ) async throws -> (report: VerifyReport, anchor: Anchor) {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader, maximumConnections: 8) { readers in
                try await database.withAppender { appender, pool in
                    var versions: [StreamID: Int] = [:]
                    for event in events {
                        let version = versions[event.stream, default: 0]
                        _ = try await appender.append(Append(events: [event], expectations: [event.stream: version]))
                        versions[event.stream] = version + 1
                    }
                    let signer = try SealedLog.signer()
                    let sealed = try await SealedLog.sealing(pool, readers, appender, signer).run()
                    let request = VerifyRequest(key: signer.key, anchor: anchor, ledger: ledger)
                    return (try await VerifyLog(pool: readers, request: request).run(), try #require(sealed))
                }
            }
        }
    }

    /// Expects exactly these findings at the last event of the forger's user.
    private func expect(
        _ words: String..., in events: [NewEvent], _ place: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try await verify(events).report
        #expect(report.violations.map(\.detail) == words, "\(report.violations)", sourceLocation: place)
        #expect(report.violations.allSatisfy { $0.kind == .signature }, sourceLocation: place)
    }

    @Test func `successive changes and a log-in with the last one verify`() async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), second = try forger.change(first), third = try forger.change(second)
        try await expect(
            in: [
                forger.set(first), forger.changed(second, from: first), forger.validated(second),
                forger.changed(third, from: second), forger.validated(third),
            ])
    }

    /// One thing is wrong with the second record; the forger has a user key of their own, and all other signatures fit.
    @Test(arguments: ["previous", "generation", "signer", "initial"])
    func `verification reports a record that does not follow its predecessor`(what: String) async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), stranger = try UserKey.generate(.system)
        let right = first.previous, key = first.userKey.publicKey
        let forged =
            switch what {
            case "previous":
                try forger.make(
                    following: PreviousCredentials(
                        hash: Array(repeating: 9, count: 32), generation: right.generation, userPublicKey: key),
                    by: first.userKey)
            case "generation":
                try forger.make(
                    following: PreviousCredentials(hash: right.hash, generation: 7, userPublicKey: key),
                    by: first.userKey)
            case "signer":
                try forger.make(
                    following: PreviousCredentials(
                        hash: right.hash, generation: right.generation, userPublicKey: stranger.publicKey),
                    by: stranger)
            default: try forger.make()
            }
        try await expect(
            "the record does not follow the one it replaces",
            in: [forger.set(first), forger.changed(forged, from: first)])
    }

    @Test func `verification reports a record or a change of another user`() async throws {
        let forger = try CredentialForger(), other = UserID(UUID())
        let first = try forger.make()
        let foreign = try forger.make(user: other, following: first.previous, by: first.userKey)
        try await expect(
            "the record is of another user", in: [forger.set(first), forger.changed(foreign, from: first)])
        let report = try await verify([
            forger.set(first), forger.changed(foreign, from: first, user: other, in: forger.user),
        ]).report
        #expect(report.violations.map(\.detail) == ["the event is not in its user's stream"], "\(report.violations)")
    }

    /// In the user's own directory nobody would miss it.
    @Test func `verification reports credentials in another user's directory`() async throws {
        let forger = try CredentialForger()
        let neighbour = UserID(forger.user.uuid.inAnotherDirectory)
        let first = try forger.make(), second = try forger.change(first)
        let moved = try forger.changed(second, from: first, in: neighbour)
        let details = try await verify([forger.set(first), moved]).report.violations.map(\.detail)
        #expect(details == ["the event is not in its user's stream"])
    }

    @Test func `verification reports a change with another credential's challenge`() async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), second = try forger.change(first)
        try await expect(
            "the challenge is of another credential",
            in: [forger.set(first), forger.changed(second, from: first, naming: UUID())])
    }

    /// Whoever still has the old secret and the old seed could bring a credential back under the id it had.
    @Test func `verification reports a reused credential id`() async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), second = try forger.change(first)
        let again = try forger.make(id: first.id, following: second.previous, by: second.userKey)
        try await expect(
            "the credential's id was used before",
            in: [forger.set(first), forger.changed(second, from: first), forger.changed(again, from: second)])
    }

    @Test func `verification reports credentials set twice or after an erasure`() async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), other = try forger.make()
        try await expect(
            "credentials are set for a user who already has them", in: [forger.set(first), forger.set(other)])
        // This log names no operator who could sign the erasure.
        let unsigned = "the decision to erase personal data has no signature"
        for next in [try forger.set(other), try forger.changed(try forger.change(first), from: first)] {
            try await expect(
                unsigned, "credentials are set for an erased user", in: [forger.set(first), forger.erased(), next])
        }
    }

    @Test func `verification reports a removed change or set-up`() async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), second = try forger.change(first), third = try forger.change(second)
        try await expect(
            "the record does not follow the one it replaces",
            in: [forger.set(first), forger.changed(third, from: second)])
        try await expect(
            "the record does not follow the one it replaces", in: [forger.changed(second, from: first)])
    }

    /// The company's validations name users whose records are in other ledgers.
    @Test func `a tenant verified alone is compared with its own users' records only`() async throws {
        let forger = try CredentialForger(), neighbour = try CredentialForger()
        let first = try forger.make(), second = try forger.change(first), stranger = try neighbour.make()
        let set = try forger.set(first), used = try forger.validated(first)
        let wrong = [try neighbour.set(stranger), try neighbour.set(try neighbour.make())]
        func details(_ events: [NewEvent]) async throws -> [String] {
            try await verify(events, of: SealedLog.ledger).report.violations.map(\.detail)
        }
        #expect(try await details([set, used] + wrong) == [])
        #expect(
            try await details([set, used, forger.validated(second)])
                == ["the user key is not one of the user's credentials"])
        #expect(
            try await details([set, used, forger.changed(stranger, from: first)])
                == ["the record is of another user", "the record does not follow the one it replaces"])
    }

    /// The rest is a history that could have been. What the new user key signed elsewhere tells; where it signed nothing
    /// yet, only what somebody kept of the true log does.
    @Test func `verification reports a removed last change`() async throws {
        let forger = try CredentialForger()
        let first = try forger.make(), second = try forger.change(first)
        let set = try forger.set(first), changed = try forger.changed(second, from: first)
        let used = try forger.validated(second)
        try await expect("the user key is not one of the user's credentials", in: [set, used])

        let truth = try await verify([set, changed])
        #expect(truth.report.violations == [])
        #expect(try await verify([set]).report.violations == [], "nothing in the log alone tells")
        let kept = try await verify([set], anchor: truth.anchor).report
        #expect(kept.violations.contains { $0.ledger == .system && $0.kind == .root }, "\(kept.violations)")
    }
}

extension UUID {
    /// The same id but for the first byte, which chooses the directory.
    fileprivate var inAnotherDirectory: UUID {
        var bytes = uuid
        bytes.0 ^= 1
        return UUID(uuid: bytes)
    }
}
