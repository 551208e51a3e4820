import Canonical
import EventCoding
import Foundation
@testable import Identity
@testable import IdentityService
import Keys
import Ledger
import Postgres
import TenureServer
import TestSupport
import Testing

extension TenureWorld {
    /// The cookie of a browser session in a session that an app opened. A log-in on the pages opens both at once.
    func cookie(of accessToken: String, at time: Timestamp = .now()) async throws -> String {
        let context = try #require(service as? TenureService).context
        let call = Call(requestId: "browser", time: time)
        let caller = try await service.run(AuthenticateSession(accessToken: accessToken), call)
        let tenant = TenantID(caller.tenantId), employee = EmployeeID(caller.employeeId)
        let session = try #require(try await context.session(caller.sessionId, of: tenant.uuid))
        let cookie = BrowserCookie(tenant: tenant, ofForm: UUID().uuidString, context.ring)
        let row = BrowserSessionRow(
            tenant: tenant.uuid, id: cookie.id.uuid, session: caller.sessionId, employee: employee.uuid,
            digest: cookie.digest(context.ring), openedAt: time, end: session.row.end)
        let stream = StreamID.session(caller.sessionId, in: tenant)
        let opening = try #require(try await context.reader.streams([stream])[stream]?.first)
        let metadata = EventMetadata(requestId: call.requestId, causes: [opening.id])
        var recorder = EventRecorder(context, at: time, metadata: metadata)
        try recorder.add(
            BrowserSessionOpened(
                browserSessionID: cookie.id, sessionID: SessionID(caller.sessionId), employeeID: employee),
            to: .browserSession(cookie.id, in: tenant), version: 0)
        recorder.statements = [row.insertion(context.ring)]
        try await recorder.append()
        return cookie.text
    }
}

extension TenureWorld {
    /// What verification finds.
    func violations() async throws -> [Violation] {
        let request = VerifyRequest(key: try await logKey())
        return try await database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run().violations
        }
    }
}
