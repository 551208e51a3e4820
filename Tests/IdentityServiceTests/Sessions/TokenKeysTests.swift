import AccessTokens
import Canonical
import ErrorCodes
import Foundation
import Keys
import Ledger
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

/// The rotation of the keys that sign tokens, by a clock that the test sets.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct TokenKeysTests {
    private let start = Timestamp(microseconds: 1_795_000_000_000_000)
    private let ring = KeyRing.random()
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func at(_ seconds: Int) -> Timestamp { start.adding(.seconds(seconds)) }

    private func withKeys(_ body: (TokenKeys, KeyReplacement, PostgresPool) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                try await body(
                    TokenKeys(
                        .accessToken, pool: pool, rows: RowAuthentication(ring, logger: Self.logger),
                        lifetime: .seconds(300),
                        logger: Self.logger),
                    KeyReplacement(.accessToken, pool, ring), pool)
            }
        }
    }

    /// Replaces keys as the operator's use case does, without its event.
    private struct KeyReplacement {
        let rotation: SigningKeyRotation
        let pool: PostgresPool

        init(_ use: SigningKeyUse, _ pool: PostgresPool, _ ring: KeyRing) {
            rotation = SigningKeyRotation(use, pool: pool, rows: RowAuthentication(ring, logger: TokenKeysTests.logger))
            self.pool = pool
        }

        func rotate(at time: Timestamp) async throws -> NewSigningKey { try await run(rotation.next(at: time)) }
        func replaceAll(at time: Timestamp) async throws -> NewSigningKey {
            try await run(rotation.replacement(at: time))
        }

        private func run(_ step: SigningKeyRotation.Step?) async throws -> NewSigningKey {
            let step = try #require(step)
            try await pool.withTransaction { connection in
                for statement in step.statements { try await connection.execute(statement) }
            }
            return step.key
        }
    }

    private func published(_ keys: TokenKeys, _ seconds: Int) async throws -> [String] {
        try await keys.published(at: at(seconds)).keys.map(\.keyID)
    }

    private func signing(_ keys: TokenKeys, _ seconds: Int) async throws -> String {
        try await keys.signingKey(at: at(seconds)).publicKey.keyID
    }

    @Test func `a new key is published fifteen minutes before it signs, the old one until its tokens expire`()
        async throws
    {
        try await withKeys { keys, rotation, _ in
            let old = try await signing(keys, 0)
            #expect(try await published(keys, 0) == [old])
            let new = try await rotation.rotate(at: at(60))
            #expect(new.isNew && new.signsFrom == at(960))
            for seconds in [100, 959] {
                #expect(try await signing(keys, seconds) == old)
                #expect(try await published(keys, seconds) == [old, new.keyID])
            }
            #expect(try await signing(keys, 960) == new.keyID)
            // A token that was signed a moment before is valid until 1259.
            #expect(try await published(keys, 1_319) == [old, new.keyID])
            #expect(try await published(keys, 1_320) == [new.keyID])
        }
    }

    @Test func `a rotation that waits is not begun again, and the next one follows it`() async throws {
        try await withKeys { keys, rotation, pool in
            _ = try await signing(keys, 0)
            let first = try await rotation.rotate(at: at(0))
            let again = try await rotation.rotate(at: at(899))
            #expect(!again.isNew && again.keyID == first.keyID)
            let second = try await rotation.rotate(at: at(900))
            #expect(second.isNew && second.keyID != first.keyID)
            let third = try await rotation.rotate(at: at(400_000))
            let rows = try await pool.query("SELECT count(*) FROM tenure.token_key", in: [])
            #expect(try rows.first?.decode(Int64.self) == 2, "keys that replaced ones long ago are deleted")
            #expect(try await published(keys, 400_001) == [second.keyID, third.keyID])
        }
    }

    @Test
    func `a key that somebody else may know signs and counts nowhere after five seconds, whatever a call's time is`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let rows = RowAuthentication(ring, logger: Self.logger), clock = Mutex(ContinuousClock.now)
                let keys = TokenKeys(
                    .accessToken, pool: pool, rows: rows, lifetime: .seconds(300), logger: Self.logger,
                    now: { clock.withLock { $0 } })
                let old = try await signing(keys, 0)
                let new = try await KeyReplacement(.accessToken, pool, ring).replaceAll(at: at(1))
                #expect(try await signing(keys, 4) == old, "this process has not read the rows again")
                // A call that came at once waited for something else, and signs only now.
                clock.withLock { $0 += SigningKeyRotation.refresh }
                #expect(try await signing(keys, 2) == new.keyID)
                #expect(try await published(keys, 2) == [new.keyID])
                #expect(SigningKeyRotation.refresh < SigningKeyRotation.takeover)
            }
        }
    }

    @Test func `keys that took too long to read sign nothing`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                // Each look at the clock is five seconds after the last one.
                let rows = RowAuthentication(ring, logger: Self.logger), clock = Mutex(ContinuousClock.now)
                let keys = TokenKeys(
                    .accessToken, pool: pool, rows: rows, lifetime: .seconds(300), logger: Self.logger,
                    now: {
                        clock.withLock { time in
                            time += SigningKeyRotation.refresh
                            return time
                        }
                    })
                let error = await #expect(throws: ServiceError.self) { try await signing(keys, 0) }
                #expect(error?.code == .serviceUnavailable)
            }
        }
    }

    @Test func `processes that start at once agree on the first key`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(maximumConnections: 8) { pool in
                let ring = ring, time = at(0)
                let ids = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            // Their clocks differ by some seconds.
                            let time = time.adding(.seconds(number))
                            let keys = TokenKeys(
                                .accessToken, pool: pool, rows: RowAuthentication(ring, logger: Self.logger),
                                lifetime: .seconds(300),
                                logger: Self.logger)
                            return try await keys.signingKey(at: time).publicKey.keyID
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(ids.count == 1)
            }
        }
    }

    @Test func `a process finds the key of another when it meets its token`() async throws {
        try await withKeys { keys, rotation, _ in
            _ = try await signing(keys, 0)
            let new = try await rotation.replaceAll(at: at(2))
            #expect(try await keys.published(including: new.keyID, at: at(3)).keys.map(\.keyID) == [new.keyID])
        }
    }

    @Test func `a row that does not open is left out, and another key signs`() async throws {
        try await withKeys { keys, rotation, pool in
            let lost = try await signing(keys, 0)
            let restored = TokenKeys(
                .accessToken, pool: pool, rows: RowAuthentication(.random(), logger: Self.logger),
                lifetime: .seconds(300),
                logger: Self.logger)
            let new = try await restored.signingKey(at: at(1)).publicKey.keyID
            #expect(new != lost)
            #expect(try await restored.published(at: at(1)).keys.map(\.keyID) == [new])
        }
    }

    @Test func `a key that was replaced does not sign again when its row is put back with a later time`() async throws {
        try await withKeys { keys, rotation, pool in
            let old = try await signing(keys, 0)
            let (sealed, code) = try #require(
                try await pool.query("SELECT sealed, mac FROM tenure.token_key", in: []).first
            ).decode([UInt8].self, [UInt8].self)
            let new = try await rotation.replaceAll(at: at(1_000))
            _ = try await pool.query(
                """
                INSERT INTO tenure.token_key (key_id, sealed, created_at, signs_from, mac)
                VALUES (\(old), \(sealed), \(at(2_000).postgres), \(at(2_000).postgres), \(code))
                """, in: [])
            #expect(try await signing(keys, 2_100) == new.keyID)
            #expect(try await published(keys, 2_100) == [new.keyID])
        }
    }

    @Test func `the private keys are stored sealed, each for its own row`() async throws {
        try await withKeys { keys, _, pool in
            let key = try await keys.signingKey(at: start)
            let rows = try await pool.query("SELECT sealed FROM tenure.token_key", in: [])
            let sealed = try #require(try rows.first?.decode([UInt8].self))
            #expect(ring.openTokenKey(sealed, keyID: key.publicKey.keyID) == key.rawRepresentation)
            #expect(ring.openTokenKey(sealed, keyID: TokenSigningKey().publicKey.keyID) == nil)
            #expect(KeyRing.random().openTokenKey(sealed, keyID: key.publicKey.keyID) == nil)
        }
    }
}
