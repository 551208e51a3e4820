import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Links an app to a company or unlinks it; an admin signs.
struct LinkApp: Sendable {
    let context: ServiceContext

    func run(
        _ appId: String, company: String, linked: Bool, signed: SignedStatement?, caller: Caller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> Decision {
        guard case .employee = caller else { throw ServiceError(.authorizationNotPermitted) }
        guard let app = AppID(text: appId) else { throw unknownApp }
        return try await optimistic {
            let access = try await context.access(company, caller, role: .authorization)
            let tenant = access.tenant
            guard try await StateLoader(reader: context.reader).app(app).state.id != nil else { throw unknownApp }
            guard tenant.state.linkedApps.contains(app) != linked else { return .done(nil, position: nil) }
            let signing = StatementSigning(context: context, access: access)
            let statement = AppLinkStatement(
                context: try await signing.statementContext(at: call.time), action: linked ? .link : .unlink,
                app: app.description, roles: linked ? RoleSet.all.names : [], reason: linked ? "linked" : "unlinked")
            guard let signed else { return .signatureRequired(statement: statement.bytes) }
            let verified = try await signing.verify(signed, is: statement, at: call.time)
            let decision = Tenant.Decision(caller: access.decider, statement: verified)
            let events = try decided { () throws(Tenant.Rejection) in
                try Tenant.decide(tenant.state, linked ? .linkApp(app, decision) : .unlinkApp(app, decision))
            }
            var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
            for event in events {
                try recorder.add(event.payload, to: .tenant(tenant.id), version: tenant.version, keys: [:])
            }
            return try await recorder.append(nil)
        }
    }

    private var unknownApp: ServiceError {
        ServiceError(.requestInvalid, members: [.init(pointer: "/appId", detail: "there is no such app")])
    }
}
