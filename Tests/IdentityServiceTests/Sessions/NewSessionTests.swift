import AccessTokens
import Canonical
import Foundation
@testable import Identity
import Keys
import Ledger
import Postgres
import TenureAPI
import Testing
import TestSupport
@testable import EventCoding
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct NewSessionTests {
    private let tenant = TenantID(UUID()), start = Timestamp(microseconds: 1_795_000_000_000_000)

    private let app = AppCaller(
        appId: UUID(), secretId: UUID(), roles: [.access], presented: PresentedSecret(secret: [], salt: []))

    private func session(
        _ employee: EmployeeID, after seconds: Int, role: EmployeeRole = .employee, _ context: ServiceContext
    ) async throws -> NewSession {
        let fingerprint = try #require(KeyFingerprint(hex: String(repeating: "ab", count: 32)))
        let opening = NewSession.Opening(
            employee: employee, tenant: TenantSnapshot(id: tenant, state: Tenant.initial, version: 1, leaves: [:]),
            role: role, sessionRole: role, fingerprint: fingerprint, methods: .credential(.answers))
        return try await NewSession(opening, app: app, at: start.adding(.seconds(seconds)), context)
    }

    private func ids(_ pool: PostgresPool) async throws -> Set<UUID> {
        let rows = try await pool.query("SELECT session_id FROM tenure.session", in: [LedgerID(tenant.uuid)])
        return Set(try rows.map { try $0.decode(UUID.self) })
    }

    @Test func `opening a session deletes the employee's ended sessions and no others`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let context = try ServiceContext.connected(pool)
                let owner = EmployeeID(UUID()), colleague = EmployeeID(UUID())
                let ledgers: Set<LedgerID> = [LedgerID(tenant.uuid)]
                let later = Int(context.settings.sessionLifetime.components.seconds)
                let ended = try await session(owner, after: 0, context)
                let others = try await session(colleague, after: 0, context)
                let live = try await session(owner, after: later - 60, context)
                for session in [ended, others, live] { _ = try await pool.query(session.insertion, in: ledgers) }
                #expect(try await ids(pool) == [ended.id, others.id, live.id])
                let new = try await session(owner, after: later + 1, context)
                _ = try await pool.query(new.insertion, in: ledgers)
                #expect(try await ids(pool) == [others.id, live.id, new.id])
            }
        }
    }

    @Test func `an admin's session has the policy's lifetime, at most the general one`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let context = try ServiceContext.connected(pool)
                let employee = EmployeeID(UUID())
                for role in [EmployeeRole.admin, .securityAdmin] {
                    let session = try await session(employee, after: 0, role: role, context)
                    #expect(session.event.expiresAt == start.adding(.seconds(3_600)))
                    #expect(session.tokens.expiresAt == start.adding(.seconds(300)))
                }
                let session = try await session(employee, after: 0, context)
                #expect(session.event.expiresAt == start.adding(context.settings.sessionLifetime))
            }
        }
    }

    @Test func `the access token says who logged in, how and when, for the app alone`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let context = try ServiceContext.connected(pool)
                let employee = EmployeeID(UUID())
                let session = try await session(employee, after: 0, role: .admin, context)
                let jwks = try await context.run(ReadTokenKeys(), Call(requestId: "keys", time: start))
                let keys = try TokenKeySet(jwks.canonicalBytes())
                let verifier = AccessTokenVerifier(
                    issuer: context.settings.tokenIssuer, audiences: [app.appId.lowercased])
                let seconds = start.microseconds / 1_000_000
                let claims = try verifier.verify(session.tokens.accessToken, with: keys, at: seconds)
                #expect(claims.subject == employee.uuid && claims.sessionID == session.id)
                #expect(claims.tenantID == tenant.uuid && claims.clientID == app.appId && claims.role == "admin")
                #expect(claims.methods == ["pop", "kba", "mfa"])
                #expect((claims.issuedAt, claims.expiresAt) == (seconds, seconds + 300))
                #expect(claims.authenticatedAt == seconds)
                #expect(throws: AccessTokenError.self) {
                    try verifier.verify(session.tokens.accessToken, with: keys, at: seconds + 300)
                }
            }
        }
    }

    @Test func `two sessions opened at once both exist, and ended ones are deleted once`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(maximumConnections: 4) { pool in
                let context = try ServiceContext.connected(pool)
                let owner = EmployeeID(UUID()), ledgers: Set<LedgerID> = [LedgerID(tenant.uuid)]
                let first = try await session(owner, after: 0, context)
                _ = try await pool.query(first.insertion, in: ledgers)
                let later = Int(context.settings.sessionLifetime.components.seconds) + 1
                var new: [NewSession] = []
                for _ in 0..<8 { new.append(try await session(owner, after: later, context)) }
                try await withThrowingTaskGroup(of: Void.self) { [new] group in
                    for session in new {
                        group.addTask { _ = try await pool.query(session.insertion, in: ledgers) }
                    }
                    try await group.waitForAll()
                }
                #expect(try await ids(pool) == Set(new.map(\.id)))
            }
        }
    }
}

struct RefreshTokenTests {
    private let ring = KeyRing.random()
    private let tenant = TenantID(UUID()), session = SessionID(UUID())

    @Test(arguments: [0, 1, 255, 256, Int64.max])
    func `a token is read as it was issued`(counter: Int64) throws {
        let text = RefreshToken(tenant: tenant, id: session, counter: counter, ring).text
        let read = try #require(RefreshToken(text, ring))
        #expect(read.tenant == tenant && read.id == session && read.counter == counter)
        #expect(Base64URL.decode(text)?.count == 72)
    }

    @Test func `no bit of a token can be changed`() throws {
        let text = RefreshToken(tenant: tenant, id: session, counter: 1, ring).text
        let bytes = try #require(Base64URL.decode(text))
        for bit in 0..<bytes.count * 8 {
            var forged = bytes
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(RefreshToken(Base64URL.encode(forged), ring) == nil)
        }
        for wrong in [[], Array(bytes.dropLast()), bytes + [0], Array(bytes.prefix(40))] {
            #expect(RefreshToken(Base64URL.encode(wrong), ring) == nil)
        }
    }

    @Test func `another installation's token is refused, and none is an access token`() {
        #expect(RefreshToken(RefreshToken(tenant: tenant, id: session, counter: 0, .random()).text, ring) == nil)
        let text = RefreshToken(tenant: tenant, id: session, counter: 0, ring).text
        #expect(UnverifiedAccessToken(text) == nil)
    }
}
