import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// Authorizes the first device key of a newly registered employee: under the policy `automatic`, and on the pages for
/// an invited person under `application`.
///
/// The app signs with its authority key while its secret is presented. A later device always needs a decision.
struct CountersignFirstKey: Sendable {
    let context: ServiceContext

    /// The reason code with which an app vouches for the first key of a registration; `nil` if it does not.
    ///
    /// Other apps decide by themselves, and later, whom they vouch for under `application`. Nobody decides for the
    /// pages, so there only the invitation, which an admin or a linked app issued for this employee id, speaks for the
    /// person.
    static func reason(_ state: FlowState, _ policy: TenantPolicy, _ app: AppCaller) -> String? {
        guard app.roles.contains(.authorization) else { return nil }
        switch policy.keyAuthorization {
        case .automatic: return "automatic"
        case .application: return app.isPagesApp && state.registration?.invitation != nil ? "invited" : nil
        case .securityAdmin: return nil
        }
    }

    func run(
        _ state: FlowState, employee id: EmployeeID, by methods: AuthenticationMethods, app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let tenantId = TenantID(state.tenantId), time = run.call.time
        return try await optimistic {
            let access = try await context.access(state.companyName, .app(app), role: .authorization)
            let employee = try await StateLoader(reader: context.reader).employee(id, in: tenantId)
            let device = try state.deviceKey
            guard let reason = Self.reason(state, access.tenant.state.policy, app),
                let key = employee.state.keys[device], key.isFirst
            else { throw ServiceError(.authorizationNotPermitted) }
            try await DomainRegistration(context: context).requireVerified(employee, in: access.tenant)
            let exchange = StatementExchange(context: context, access: access)
            let facts = StatementFacts(
                try await exchange.statementContext(at: time), access.tenant, employee.leaves)
            let statement = try await facts.key(.authorize, key, of: employee, reason: reason, context)
            let authorize = Employee.AuthorizeKey(
                key: device, decision: try access.decision(try exchange.vouch(statement, app.presented)),
                tenant: access.tenant.state, time: time)
            let events = try Employee.decided(employee.state, .authorizeKey(authorize))
            return try await append(events, causedBy: key.presented, employee, access, state, methods, app, run)
        }
    }

    private func append(
        _ events: [EmployeeEvent], causedBy presented: EventPlace, _ employee: EmployeeSnapshot,
        _ access: CompanyAccess, _ state: FlowState, _ methods: AuthenticationMethods, _ app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let tenant = access.tenant.id, call = run.call, ticket = run.ticket
        // A decision without a right to store a reply: the reply is that of the registration.
        var decision = DecisionRecorder(access: access, UseCaseRun<DecisionResponse>(context: context, call: call))
        var metadata = decision.recorder.metadata
        metadata.causes = [presented.id]
        try decision.add(
            events, to: .employee(employee.id, in: tenant), version: employee.version, metadata: metadata)
        let summary = try await context.summary(of: employee, in: access.tenant)
        guard employee.state.account?.status == .active else {
            // The key is authorized; the approval of the account is checked separately.
            _ = try await decision.append(summary)
            let fingerprint = try state.fingerprint.description
            return .authorizationPending(
                employeePublicKey: state.employeePublicKey, fingerprint: fingerprint, position: nil)
        }
        let session = try await NewSession(
            of: employee, in: access.tenant, fingerprint: try state.fingerprint, by: methods, app: app, call, context)
        try await decision.open(session)
        if let ticket { decision.ledgers.insert(ticket.ledger) }
        let appended = try await decision.recorder.append { appended in
            let outcome = FlowOutcomeResponse.success(
                session.tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
            return ticket.map { [$0.completion(.success(outcome))] } ?? []
        }
        return .success(session.tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
    }
}
