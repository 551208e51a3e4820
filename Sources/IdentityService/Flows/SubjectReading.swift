import Identity
import Ledger
import Postgres

/// The statements that find out whom a flow is about, and their company; sent with the call's `Idempotency-Key`.
struct SubjectReading: Sendable {
    /// The subject as it was named.
    let subject: FlowSubject
    let reads: OpeningReads
    /// The company as it is remembered; then only the head of its stream is read, and the beginning of the employee or, in
    /// nobody's place, of the colleague who stands in.
    private let remembered: TenantSnapshot?
    private let claim: ClaimKey
    private let app: AppID

    init(_ subject: FlowSubject, for app: AppID, _ context: ServiceContext) {
        self.subject = subject
        self.app = app
        let id = subject.tenantId
        remembered = context.companies.recall(id, for: app)
        claim = context.ring.employeeClaim(subject.companyEmployeeId, in: id)
        var statements = [ClaimsQuery([claim]).sql]
        if let remembered {
            statements.append(StreamHeadsQuery([.tenant(id)]).sql)
            statements.append(Self.beginning(claim, remembered).sql)
        } else {
            statements.append(StateLoader.tenantQuery(id).sql)
        }
        reads = OpeningReads(ledgers: [LedgerID(id.uuid)], statements: statements)
    }

    private static func beginning(_ claim: ClaimKey, _ tenant: TenantSnapshot) -> OwnerBeginningQuery {
        OwnerBeginningQuery(
            claim, kind: StreamID.employeeKind, otherwise: tenant.state.securityAdmin?.uuid)
    }

    /// Reads the rows of ``reads``.
    ///
    /// - Throws: `service.unavailable` when the answer is not one for these statements.
    func read(_ rows: [[PostgresRow]], _ context: ServiceContext) async throws -> FoundSubject {
        guard rows.count == reads.statements.count else {
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        }
        var found = FoundSubject(subject: subject, tenant: try await tenant(rows, context))
        found.subject.employee = try ClaimsQuery([]).read(rows[0]).first.map { EmployeeID($0.owner) }
        if let remembered {
            let event = try Self.beginning(claim, remembered).read(rows[2])
            // The claim may have been taken between two statements, and the company may have another admin now.
            let isWhose = event?.stream.id == (found.subject.employee ?? found.tenant.state.securityAdmin)?.uuid
            if isWhose { found.beginning = .some(event) }
        }
        return found
    }

    private func tenant(_ rows: [[PostgresRow]], _ context: ServiceContext) async throws -> TenantSnapshot {
        let id = subject.tenantId, stream = StreamID.tenant(id)
        let tenant: TenantSnapshot
        if let remembered {
            if try StreamHeadsQuery([stream]).read(rows[1])[stream] == remembered.head {
                context.companies.remember(remembered, for: app)
                return remembered
            }
            tenant = try await StateLoader(reader: context.reader).tenant(id)
        } else {
            let read = try StateLoader.tenantQuery(id).read(rows[1])
            tenant = try StateLoader.tenant(id, read.founding, read.streams[stream] ?? [])
        }
        context.companies.remember(tenant, for: app)
        return tenant
    }
}

/// Whom a flow is about, and the company.
struct FoundSubject: Sendable {
    var subject: FlowSubject
    var tenant: TenantSnapshot
    /// The first event of the employee, or of who stands in for nobody, where it was read: then it may be that there is none.
    var beginning: RecordedEvent??
}
