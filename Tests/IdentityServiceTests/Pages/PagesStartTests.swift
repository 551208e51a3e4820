import Canonical
import Foundation
import Keys
import Ledger
import Logging
import Postgres
import TestSupport
import Testing

@testable import IdentityService

/// The row of the pages: sealed, with a code, and what a start does with it.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct PagesStartTests {
    private let ring = KeyRing.random()
    private let start = Timestamp(microseconds: 1_795_000_000_000_000)
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func row(_ text: String = "secret", url: String? = nil) throws -> PagesAppRow {
        try PagesAppRow(app: UUID(), secret: UUID(), text: text, publicURL: url, changedAt: start, ring)
    }

    private func write(_ row: PagesAppRow, _ pool: PostgresPool) async throws {
        _ = try await pool.query(row.replacement(ring), in: [])
    }

    private func begins(
        _ pool: PostgresPool, at url: String?, _ change: PagesStart.Change = .refused
    ) async throws -> Bool {
        try await PagesStart(pool, ring, logger: Self.logger).run(at: start, url: url, change: change)
    }

    private func remembered(_ pool: PostgresPool) async throws -> String? {
        try await PagesAppRow.read(pool, RowAuthentication(ring, logger: Self.logger), at: start)?.publicURL
    }

    @Test func `a start remembers the public URL, and refuses another one that nobody confirmed`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                #expect(try await !begins(pool, at: "https://id.example"))
                try await write(row(), pool)
                #expect(try await begins(pool, at: nil))
                #expect(try await remembered(pool) == nil)
                #expect(try await begins(pool, at: "https://id.example"))
                #expect(try await begins(pool, at: "https://id.example"))
                let refusal = PublicURLChanged(old: "https://id.example", new: "https://other.example")
                await #expect(throws: refusal) { try await begins(pool, at: "https://other.example") }
                #expect(try await remembered(pool) == "https://id.example")
                #expect(try await begins(pool, at: "https://other.example", .accepted))
                #expect(try await remembered(pool) == "https://other.example")
            }
        }
    }

    @Test func `a row that the service did not write is none`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                for change in [
                    "public_url = 'https://evil.example'", "app_id = gen_random_uuid()", "mac = ''",
                    "changed_at = now()",
                ] {
                    try await write(row(url: "https://id.example"), pool)
                    var superuser = try await database.connect(as: .superuser)
                    try await superuser.executeScript("UPDATE tenure.pages_app SET \(change)")
                    #expect(try await !begins(pool, at: "https://id.example"), "\(change)")
                }
            }
        }
    }

    @Test func `the secret opens for its app, its id and these keys only`() throws {
        let row = try row("a secret")
        #expect(row.text(ring) == "a secret" && row.text(.random()) == nil)
        var other = row
        other.app = UUID()
        #expect(other.text(ring) == nil)
        other = row
        other.secret = UUID()
        #expect(other.text(ring) == nil)
        #expect(row.sealed.firstRange(of: Array("a secret".utf8)) == nil)
    }

    @Test func `a kept secret is read again on demand`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let kept = PagesAppSecret(
                    pool: pool, rows: RowAuthentication(ring, logger: Self.logger), logger: Self.logger)
                #expect(try await kept.current(at: start) == nil)
                try await write(row("first"), pool)
                #expect(try await kept.current(at: start)?.text == "first")
                try await write(row("second"), pool)
                #expect(try await kept.current(at: start, isFresh: true)?.text == "second")
                _ = try await pool.query(PagesAppRow.deletion, in: [])
                #expect(try await kept.current(at: start, isFresh: true) == nil)
                #expect(try await kept.current(at: start) == nil)
            }
        }
    }

    @Test func `requests for pages that are not served read and log once in a while`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                func made(_ lifetime: Duration, _ lines: LoggedLines) -> PagesAppSecret {
                    let logger = Logger(label: "test") { _ in lines.handler }
                    return PagesAppSecret(
                        pool: pool, rows: RowAuthentication(ring, logger: logger), url: "https://other.example",
                        lifetime: lifetime, logger: logger)
                }
                try await write(row(url: "https://id.example"), pool)
                for lifetime in [Duration.seconds(3_600), .zero] {
                    let lines = LoggedLines(), secret = made(lifetime, lines)
                    for _ in 0..<100 {
                        #expect(try await secret.current(at: start) == nil)
                        #expect(try await secret.current(at: start, isFresh: true) == nil)
                    }
                    #expect(lines.all.count { $0.contains("pages are not served") } == 1, "\(lines.all)")
                }
                // The absence is kept: nothing is read before its lifetime is over.
                let lines = LoggedLines()
                let (lasting, passing) = (made(.seconds(3_600), lines), made(.zero, lines))
                _ = try await pool.query(PagesAppRow.deletion, in: [])
                for secret in [lasting, passing] { #expect(try await secret.current(at: start, isFresh: true) == nil) }
                try await write(row("enabled"), pool)
                #expect(try await lasting.current(at: start) == nil)
                #expect(try await lasting.current(at: start, isFresh: true) == nil)
                #expect(try await passing.current(at: start)?.text == "enabled")
                // That they are disabled counts at once.
                _ = try await pool.query(PagesAppRow.deletion, in: [])
                #expect(try await passing.current(at: start, isFresh: true) == nil)
            }
        }
    }

    @Test func `a process that serves pages remembers its public URL, and serves none of another one`() async throws {
        func secret(_ pool: PostgresPool, _ url: String) async throws -> String? {
            try await PagesAppSecret(
                pool: pool, rows: RowAuthentication(ring, logger: Self.logger), url: url, logger: Self.logger
            ).current(at: start)?.text
        }
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                #expect(try await secret(pool, "https://id.example") == nil)
                // Enabled while the process runs.
                try await write(row("late"), pool)
                #expect(try await secret(pool, "https://id.example") == "late")
                #expect(try await remembered(pool) == "https://id.example")
                #expect(try await secret(pool, "https://other.example") == nil)
                #expect(try await secret(pool, "https://id.example") == "late")
            }
        }
    }

    @Test func `the reader role sees whether there are pages, and no secret`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in try await write(row(url: "https://id.example"), pool) }
            try await database.withPool(as: .reader) { reader in
                let presence = try await PagesPresence.read(reader)
                #expect(presence == PagesPresence(publicURL: "https://id.example"))
                await #expect(throws: PostgresError.self) {
                    try await reader.withConnection { connection in
                        _ = try await connection.query("SELECT sealed FROM tenure.pages_app")
                    }
                }
            }
        }
    }
}
