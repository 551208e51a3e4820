import Canonical
import ErrorCodes
import Foundation
@testable import Identity
import Keys
import Logging
import Postgres
import TenureAPI
import TestSupport
import Testing

@testable import EventCoding
@testable import IdentityService
@testable import Ledger

/// What ends the sessions of an app, a secret and an admin, by a clock that the test sets.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct SessionCutoffTests {
    private let tenant = TenantID(UUID()), employee = EmployeeID(UUID())
    private let start = Timestamp(microseconds: 1_795_000_000_000_000)
    private let app = AppCaller(
        appId: UUID(), secretId: UUID(), roles: [.access], presented: PresentedSecret(secret: [], salt: []))

    /// Opens a session at version 5 of the tenant and runs `body` with it.
    private func withSession(
        role: EmployeeRole = .employee, _ body: (ServiceContext, PostgresPool, NewSession) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                // The access token does not end before the session.
                let settings = ServiceSettings(accessLifetime: .seconds(86_400))
                let context = try ServiceContext.connected(pool, settings: settings)
                let snapshot = TenantSnapshot(id: tenant, state: Tenant.initial, version: 5, leaves: [:])
                let opening = NewSession.Opening(
                    employee: employee, tenant: snapshot, role: role, sessionRole: role,
                    fingerprint: try #require(KeyFingerprint(hex: String(repeating: "ab", count: 32))),
                    methods: .device)
                let session = try await NewSession(opening, app: app, at: start, context)
                _ = try await pool.query(session.insertion, in: [LedgerID(tenant.uuid)])
                try await body(context, pool, session)
            }
        }
    }

    private func refusal(
        _ session: NewSession, _ context: ServiceContext, after seconds: Int = 1
    ) async -> ServiceError? {
        do {
            let call = Call(requestId: "cutoff", time: start.adding(.seconds(seconds)))
            _ = try await context.run(AuthenticateSession(accessToken: session.tokens.accessToken), call)
            return nil
        } catch { return error as? ServiceError }
    }

    @Test func `a cutoff ends the sessions opened before its version, and no others`() async throws {
        try await withSession { context, pool, session in
            let others = [
                SessionCutoff.unlinked(AppID(UUID()), from: tenant, version: 9, at: start),
                SessionCutoff.unlinked(AppID(app.appId), from: tenant, version: 5, at: start),
            ]
            for other in others {
                _ = try await pool.query(other.replacement(context.ring), in: [LedgerID(tenant.uuid)])
            }
            let elsewhere = TenantID(UUID())
            _ = try await pool.query(
                SessionCutoff.unlinked(AppID(app.appId), from: elsewhere, version: 9, at: start).replacement(
                    context.ring),
                in: [LedgerID(elsewhere.uuid)])
            #expect(await refusal(session, context) == nil)
            _ = try await pool.query(
                SessionCutoff.unlinked(AppID(app.appId), from: tenant, version: 6, at: start).replacement(context.ring),
                in: [LedgerID(tenant.uuid)])
            #expect(await refusal(session, context)?.code == .sessionInvalid)
        }
    }

    @Test func `a revoked secret ends the sessions that it opened, and no others`() async throws {
        try await withSession { context, pool, session in
            _ = try await pool.query(
                SessionCutoff.revoked(SecretID(UUID()), at: start).replacement(context.ring), in: [.system])
            #expect(await refusal(session, context) == nil)
            _ = try await pool.query(
                SessionCutoff.revoked(SecretID(app.secretId), at: start).replacement(context.ring), in: [.system])
            #expect(await refusal(session, context)?.code == .sessionInvalid)
        }
    }

    @Test(arguments: ["app_id", "secret_id", "tenant_version"])
    func `a session with unknown dependencies is refused`(column: String) async throws {
        try await withSession { context, pool, session in
            _ = try await pool.query(
                "UPDATE tenure.session SET \(identifier: column) = NULL WHERE ledger_id = \(tenant.uuid)",
                in: [LedgerID(tenant.uuid)])
            #expect(await refusal(session, context)?.code == .sessionInvalid)
        }
    }

    @Test func `an admin's session ends after an hour, an employee's continues`() async throws {
        try await withSession(role: .admin) { context, _, session in
            #expect(await refusal(session, context, after: 3_599) == nil)
            #expect(await refusal(session, context, after: 3_600) == ServiceError(.sessionExpired))
        }
        try await withSession { context, pool, session in
            #expect(await refusal(session, context, after: 3_599) == nil)
            // An appointment shortens it.
            #expect(try await context.shortening([EmployeeID(UUID())], in: tenant, to: .initial).isEmpty)
            #expect(await refusal(session, context, after: 3_601) == nil)
            for statement in try await context.shortening([employee], in: tenant, to: .initial) {
                _ = try await pool.query(statement, in: [LedgerID(tenant.uuid)])
            }
            #expect(await refusal(session, context, after: 3_601) == ServiceError(.sessionExpired))
        }
    }

    @Test func `a session with an empty code, or with another one, is refused`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let settings = ServiceSettings(accessLifetime: .seconds(86_400))
                let context = try ServiceContext.connected(pool, settings: settings)
                let snapshot = TenantSnapshot(id: tenant, state: Tenant.initial, version: 5, leaves: [:])
                let opening = NewSession.Opening(
                    employee: employee, tenant: snapshot, role: .employee, sessionRole: .employee,
                    fingerprint: try #require(KeyFingerprint(hex: String(repeating: "ab", count: 32))),
                    methods: .device)
                let session = try await NewSession(opening, app: app, at: start, context)
                _ = try await pool.query(session.insertion, in: [LedgerID(tenant.uuid)])
                _ = try await pool.query(
                    "UPDATE tenure.session SET mac = '' WHERE ledger_id = \(tenant.uuid)",
                    in: [LedgerID(tenant.uuid)])
                #expect(await refusal(session, context, after: 1)?.code == .sessionInvalid)
                _ = try await pool.query(
                    "UPDATE tenure.session SET mac = decode('00', 'hex') WHERE ledger_id = \(tenant.uuid)",
                    in: [LedgerID(tenant.uuid)])
                #expect(await refusal(session, context, after: 1)?.code == .sessionInvalid)
                #expect(context.rows.counts.rows(of: SessionRow.table.coded) == 2)
            }
        }
    }

    @Test func `every append that unlinks or revokes writes its cutoff`() async throws {
        try await withSession { context, pool, session in
            var recorder = EventRecorder(context, at: start)
            // It ends what was opened before the version that it gives the tenant's stream, the sixth.
            try recorder.add(AppLinked(appID: AppID(UUID()), by: .founding), to: .tenant(tenant), version: 4)
            try recorder.add(AppUnlinked(appID: AppID(app.appId), by: .policy), to: .tenant(tenant), version: 4)
            try recorder.add(
                AppSecretRevoked(appID: AppID(app.appId), secretID: SecretID(app.secretId), by: .operator(nil)),
                to: .app(AppID(app.appId)), version: 1)
            let receipt = AppendReceipt(events: [], positions: [], time: start, wasDuplicate: false)
            let statements = recorder.append(at: start).effects(receipt)
            #expect(statements.count == 2)
            for statement in statements { _ = try await pool.query(statement, in: [LedgerID(tenant.uuid), .system]) }
            let rows = try await pool.query(
                "SELECT subject, tenant_version FROM tenure.session_cutoff", in: [LedgerID(tenant.uuid), .system])
            let found = try rows.map { try $0.decode(UUID.self, Int64.self) }
            #expect(Dictionary(found) { $1 } == [app.appId: 6, app.secretId: .max])
            #expect(await refusal(session, context)?.code == .sessionInvalid)
        }
    }
}
