import Canonical
import Crypto
import Foundation
import Postgres
import Testing
import TestSupport
@testable import Keys

/// The fixed values that the golden vectors were computed over, with another implementation of AES-GCM, HMAC, HKDF and
/// Ed25519.
enum Sample {
    static func key(_ bytes: some Sequence<UInt8>) throws -> SecretKey { try #require(SecretKey(bytes: Array(bytes))) }
    static func id(_ text: String) throws -> UUID { try #require(UUID(lowercased: text)) }

    /// 00, 01, … 1f.
    static var wrapping: SecretKey { get throws { try key(0..<32) } }
    /// 20, 21, … 3f.
    static var wrapped: SecretKey { get throws { try key(32..<64) } }
    /// a0, a1, … ab.
    static var nonce: AES.GCM.Nonce { get throws { try AES.GCM.Nonce(data: Array(0xA0..<0xAC) as [UInt8]) } }
    static var person: UUID { get throws { try id("01234567-89ab-4cde-8f01-23456789abcd") } }
    static var ledger: UUID { get throws { try id("11111111-2222-4333-8444-555555555555") } }
    static var event: UUID { get throws { try id("66666666-7777-4888-9999-aaaaaaaaaaaa") } }

    /// The key of the first purpose is 01 thirty-two times, of the second 02, and so on.
    static var ring: KeyRing {
        get throws {
            var keys: [KeyPurpose: SecretKey] = [:]
            for (index, purpose) in KeyPurpose.allCases.enumerated() {
                keys[purpose] = try key(repeatElement(UInt8(index + 1), count: 32))
            }
            return try KeyRing(keys)
        }
    }
}

/// A directory of a test's own, removed with it.
final class KeyDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "keys-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: MasterKeyFile { MasterKeyFile(path: path + "/master.json") }
    var list: ErasureList { ErasureList(beside: file) }
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

/// A database of one test's own with a pool of the application's and one of the reader's role.
enum KeysDatabase {
    /// Makes a database, runs `body` and drops the database.
    static func withPools(
        _ body: (TestDatabase, _ application: PostgresPool, _ reader: PostgresPool) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .application) { application in
                try await database.withPool(as: .reader) { reader in
                    try await body(database, application, reader)
                }
            }
        }
    }
}

extension PostgresPool {
    /// Runs statements in one transaction that has named the ledgers, as an append does.
    func run(_ statements: [SQL], ledgers: [UUID]) async throws {
        let text = "{" + ledgers.map { $0.uuidString.lowercased() }.joined(separator: ",") + "}"
        try await withTransaction { connection in
            _ = try await connection.query("SELECT tenure.enter_scope(\(text), true)")
            for statement in statements { try await connection.execute(statement) }
        }
    }
}
