import Canonical
import Crypto
import FoundationEssentials
import IdentityService
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

/// A database with two ledgers of 300 events, sealed after 290 and at the end, to be tampered with.
struct SealedLog: Sendable {
    static let ledger = LedgerID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))
    static let other = LedgerID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 2)))
    static let streams = (0..<3).map { number in
        StreamID(ledger: ledger, kind: "thing", id: UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, number)))
    }

    /// The ring whose codes the tiles carry.
    static let ring = KeyRing.random()

    let database: TestDatabase
    let signer: CheckpointSigner
    let anchor: Anchor
    let appender: Appender
    let pool: PostgresPool
    let readerPool: PostgresPool

    static func signer(_ byte: UInt8 = 7) throws -> CheckpointSigner {
        let secret = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: byte, count: 32))
        return try CheckpointSigner(name: "tenure.example", secret: secret)
    }

    static func with(_ body: (SealedLog) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader, maximumConnections: 8) { readerPool in
                // Tests of seals set the clock forward.
                var configuration = Appender.Configuration()
                configuration.clockTolerance = nil
                try await database.withAppender(configuration: configuration) { appender, pool in
                    let signer = try signer()
                    let sealing = sealing(pool, readerPool, appender, signer)
                    let otherStream = StreamID(ledger: other, kind: "thing", id: UUID())
                    _ = try await appender.append(.test(otherStream, events: 300))
                    try await append(appender, from: 0, count: 290)
                    try await sealing.run()
                    try await append(appender, from: 290, count: 10)
                    let anchor = try #require(try await sealing.run())
                    try await body(
                        SealedLog(
                            database: database, signer: signer, anchor: anchor, appender: appender, pool: pool,
                            readerPool: readerPool))
                }
            }
        }
    }

    static func sealing(
        _ pool: PostgresPool, _ readerPool: PostgresPool, _ appender: Appender, _ signer: CheckpointSigner,
        codes: EventCodes = .test
    ) -> SignGrownLedgers {
        SignGrownLedgers(
            pool: pool, readerPool: readerPool, codes: codes, appender: appender, signer: signer,
            tiles: TileCodes(ring, logger: TestServer.logger()), logger: TestServer.logger())
    }

    /// Events of three streams in turn.
    static func append(_ appender: Appender, from start: Int, count: Int, note: String = "as it was") async throws {
        for number in start..<start + count {
            _ = try await appender.append(.test(streams[number % 3], expecting: number / 3, note: note))
        }
    }

    func seal(with signer: CheckpointSigner? = nil) async throws {
        try await Self.sealing(pool, readerPool, appender, signer ?? self.signer).run()
    }

    /// Runs a superuser's statement.
    func tamper(_ sql: SQL...) async throws {
        var connection = try await database.connect(as: .superuser)
        for statement in sql { _ = try await connection.query(statement) }
    }

    func verify(
        key: LogKey? = nil, anchor: Anchor? = nil, now: (@Sendable () -> Timestamp)? = nil
    ) async throws -> VerifyReport {
        var request = VerifyRequest(key: key ?? signer.key, anchor: anchor)
        request.now = now
        return try await VerifyLog(pool: readerPool, request: request).run()
    }
}
