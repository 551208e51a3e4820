import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
import Postgres
import ServiceLifecycle

/// Releases provisional employee ids 30 days after their registration.
///
/// The projection of employees only says where to look. The decision is made on the streams, and the append names their
/// versions: a device key that is authorized at the same time wins.
struct ReleaseExpiredIDs: Sendable {
    /// The number of candidates that one sweep looks at.
    static let limit: Int64 = 256
    let context: ServiceContext
    /// Finds candidates in all tenants: the application role sees only ledgers that it names.
    let readerPool: PostgresPool

    /// Releases the ids that expired before a time, and returns their number.
    @discardableResult
    func run(at time: Timestamp) async throws -> Int {
        let cutoff = time.adding(.zero - Employee.provisionalLifetime)
        let rows = try await readerPool.withConnection { connection in
            try await connection.query(
                """
                SELECT v.ledger_id, v.employee_id FROM tenure.employees AS v
                JOIN tenure.projection_generation AS g ON g.projection = 'employees' AND g.live = v.generation
                WHERE v.is_provisional AND v.registered_at <= \(cutoff.postgres)
                ORDER BY v.registered_at LIMIT \(Self.limit)
                """)
        }
        var released = 0
        for row in rows {
            let (ledger, id) = try row.decode(UUID.self, UUID.self)
            let isReleased = try await optimistic {
                try await release(EmployeeID(id), in: TenantID(ledger), at: time)
            }
            if isReleased { released += 1 }
        }
        return released
    }

    private func release(_ id: EmployeeID, in tenant: TenantID, at time: Timestamp) async throws -> Bool {
        let snapshot = try await StateLoader(reader: context.reader).employee(id, in: tenant)
        let keys = try await context.personKeys.load([id.uuid], ledger: tenant.uuid)
        let opened = Employee.fold(try snapshot.events.map { try EventCodec.decode($0, keys: keys) })
        // An id whose text was erased is never given to another account.
        guard snapshot.state.isProvisional, let text = opened.account?.companyEmployeeID.text,
            let name = try? CompanyEmployeeID(recorded: text)
        else { return false }
        let events = try Employee.decided(snapshot.state, .releaseID(.expired(at: time)))
        guard let event = events.first else { return false }
        var recorder = EventRecorder(context, at: time)
        try recorder.add(event.payload, to: .employee(id, in: tenant), version: snapshot.version)
        try await AccountRelease(of: snapshot, named: name, in: tenant, context).add(to: &recorder)
        try await recorder.append()
        return true
    }
}

/// Runs ``ReleaseExpiredIDs`` and ``EndInvitations`` periodically.
struct NameSweeper: Service {
    /// The time between two sweeps.
    static let interval: Duration = .seconds(300)
    let context: ServiceContext
    let readerPool: PostgresPool

    /// Sweeps until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var after: UUID?
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                guard !Task.isCancelled else { return }
                do {
                    let now = context.settings.now()
                    try await ReleaseExpiredIDs(context: context, readerPool: readerPool).run(at: now)
                    after = try await EndInvitations(context: context, readerPool: readerPool).run(
                        at: now, after: after)
                } catch is CancellationError { return } catch {
                    context.logger.warning("employee ids and invitations could not be released")
                }
            }
        }
    }
}
