package import Canonical
package import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Builds the append of an administrative decision.
///
/// It guards the streams that the decision was made on: the tenant's (policy, roles, links) and the caller's own. A
/// caller who loses authority first decides nothing afterwards.
struct DecisionRecorder<Answer: Sendable>: Sendable {
    let context: ServiceContext
    let access: CompanyAccess
    let call: Call
    var ticket: IdempotencyTicket<Answer>?
    var events: [NewEvent] = []
    var expectations: [StreamID: Int] = [:]
    var claims: [Claim] = []
    var releases: [ClaimRelease] = []
    var statements: [SQL] = []
    /// The ledgers, besides those of the events, whose rows ``statements`` touch.
    var ledgers: Set<LedgerID> = []
    /// The latest time at which the events may be recorded, besides the expiry of their statements.
    var notAfter: Timestamp?

    init(access: CompanyAccess, _ run: UseCaseRun<Answer>) {
        self.access = access
        call = run.call
        context = run.context
        ticket = run.ticket
        expectations[.tenant(access.tenant.id)] = access.tenant.version
        expectations[access.guarded.stream] = access.guarded.version
    }

    /// Adds an event and returns its id.
    @discardableResult
    mutating func add(
        _ payload: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey]
    ) throws -> UUID {
        let id = UUID()
        let metadata = EventMetadata(actor: access.actor, app: access.app, requestId: call.requestId)
        events.append(try EventCodec.encode(payload, id: id, stream: stream, keys: keys, metadata: metadata))
        expectations[stream] = version
        return id
    }

    /// Appends the events, and replies with `answer` of the position in the tenant's ledger. Without events the decision
    /// already holds, and nothing is written.
    func append(_ answer: @escaping @Sendable (Int64?) -> Answer) async throws -> Answer {
        guard !events.isEmpty else { return answer(nil) }
        let ledger = LedgerID(access.tenant.id.uuid)
        let append = Append(
            events: events, expectations: expectations, claims: claims, releases: releases, time: call.time,
            notAfter: notAfter, effectLedgers: ledgers.union(ticket.map { [$0.ledger] } ?? []),
            effects: { [statements, ticket] appended in
                statements + (ticket.map { [$0.completion(.success(answer(appended.last[ledger])))] } ?? [])
            })
        let appended = try await context.appender.append(append)
        ticket?.markStored()
        return answer(appended.last[ledger])
    }
}

extension DecisionRecorder where Answer == Decision {
    /// Appends the events of a decision about an employee.
    func append(_ employee: EmployeeSummary?) async throws -> Decision {
        try await append { position in Decision.done(employee, position: position) }
    }
}

extension ServiceContext {
    /// An employee as replies show one, with the name decrypted while the key exists.
    func summary(of employee: EmployeeSnapshot, in tenant: TenantSnapshot) async throws -> EmployeeSummary {
        let keys = try await personKeys.load([employee.id.uuid], ledger: tenant.id.uuid)
        var name: String?
        if let registered = employee.events.first,
            let event = try EventCodec.payload(of: registered, keys: keys) as? EmployeeRegistered
        {
            name = event.companyEmployeeID.text
        }
        return EmployeeSummary(
            companyName: tenant.state.companyName ?? "", companyEmployeeId: name,
            status: employee.state.account?.status.rawValue ?? "", role: tenant.state.role(of: employee.id).rawValue)
    }
}

/// Makes the statements that callers sign, and checks what they submit.
package struct StatementExchange: Sendable {
    /// The time for which a statement is valid.
    static let lifetime: Duration = .seconds(900)
    let context: ServiceContext
    let access: CompanyAccess

    package init(context: ServiceContext, access: CompanyAccess) {
        self.context = context
        self.access = access
    }

    /// The members that every statement of this caller has.
    ///
    /// - Throws: `authorization.not_permitted` for a caller without a signing key or authority.
    package func statementContext(at time: Timestamp) async throws -> StatementContext {
        guard let signer = access.signer, let authority = access.authority else {
            throw ServiceError(.authorizationNotPermitted)
        }
        let (size, root) = try await context.reader.root(LedgerID(access.tenant.id.uuid))
        return StatementContext(
            tenant: access.tenant.id.uuid, signer: try StatementKey(bytes: signer.bytes), authority: authority,
            ledgerSize: size, ledgerRoot: root, systemSize: try await systemSize(), expires: time.adding(Self.lifetime),
            nonce: randomBytes(32))
    }

    /// The size of the system ledger, which has an app's secrets; `nil` for an employee.
    ///
    /// The append guards the app's stream, so a secret that ends within this part of the ledger vouches for nothing.
    private func systemSize() async throws -> Int64? {
        guard case .app = access.decider else { return nil }
        return try await context.reader.head(.system)?.size ?? 0
    }

    /// Checks a signed statement against the one that the service would make now.
    ///
    /// Everything but the view of the ledger, the expiry and the nonce has to be the same; the view has to be one that
    /// the ledger really had, and to include all that was decided about the company: so nobody repeats what an admin
    /// signed before it was taken back.
    ///
    /// - Parameter position: The position of the latest decision about the same subject. A statement that does not include
    ///   it was signed before, or is the one that caused it: each statement is used once.
    func verify<S: Statement>(
        _ signed: SubmittedStatement, is expected: S, at time: Timestamp, after position: Int64 = 0
    ) async throws -> SignedStatement {
        let statement: S
        let signature: Signature
        do {
            statement = try S(parsing: signed.statement, expecting: expected.tag)
            try statement.context.checkExpiry(at: time)
            signature = try statement.verify(proof: signed.signature)
        } catch {
            throw ServiceError(.authorizationNotPermitted)
        }
        let seen = statement.context, asked = expected.context
        guard statement.members == expected.members, seen.tenant == asked.tenant, seen.signer == asked.signer,
            seen.authority == asked.authority, seen.expires <= time.adding(Self.lifetime),
            seen.ledgerSize >= max(access.tenant.lastPosition, position), seen.ledgerSize <= asked.ledgerSize
        else { throw ServiceError(.requestStale) }
        let (_, root) = try await context.reader.root(LedgerID(access.tenant.id.uuid), size: seen.ledgerSize)
        guard root == seen.ledgerRoot else { throw ServiceError(.authorizationNotPermitted) }
        return try recorded(signed.statement, signature, by: seen.signer)
    }

    /// Signs a statement with the app's authority key, which is derived from the presented secret.
    func vouch(_ statement: some Statement, _ presented: PresentedSecret) throws -> SignedStatement {
        let key = try AppAuthorityKey(appSecret: presented.secret, appSalt: presented.salt)
        return try recorded(statement.bytes, try key.sign(statement), by: StatementKey(key.publicKey))
    }

    private func recorded(
        _ statement: [UInt8], _ signature: Signature, by signer: StatementKey
    ) throws -> SignedStatement {
        guard let key = PublicKeyBytes(signer.bytes), let signature = SignatureBytes(signature.bytes) else {
            throw ServiceError(.authorizationNotPermitted)
        }
        return SignedStatement(key: key, statement: statement, signature: signature)
    }
}

extension TenantSnapshot {
    /// The position of the latest event about the tenant itself: policy, roles, domains and apps.
    var lastPosition: Int64 { leaves.keys.max() ?? 0 }

    /// The leaf hash of the event that set the policy in force; `nil` while it is the initial one.
    var policyHash: [UInt8]? { state.policySince.flatMap { leaves[$0.position] } }
}
