import Canonical
import FoundationEssentials
import Identity
public import Projections

/// The service over the event log: each method is one use case.
public struct EventSourcedService: TenureService {
    let context: ServiceContext
    let views: Views
    let health: ViewHealth

    /// Serves with the given parts.
    public init(context: ServiceContext, views: Views, health: ViewHealth) {
        self.context = context
        self.views = views
        self.health = health
    }

    /// Runs a use case at most once per `Idempotency-Key` of this caller, and turns what passes by itself into
    /// `service.busy` or `service.unavailable`.
    func once<Answer: RepeatableAnswer>(
        _ call: Call, by caller: String, opening: OpeningReads? = nil,
        _ body: (IdempotencyTicket?) async throws -> Answer
    ) async throws -> Answer {
        try await IdempotentCall(context: context).run(call, scope: caller, opening: opening, body)
    }
}

extension AppCaller {
    /// Who an idempotency key belongs to.
    var scope: String { "app/\(appId.lowercased)" }
}

extension EmployeeCaller {
    /// Who an idempotency key belongs to.
    var scope: String { "employee/\(tenantId.lowercased)/\(employeeId.lowercased)" }
}

extension Caller {
    /// Who an idempotency key belongs to.
    var scope: String {
        switch self {
        case .app(let app): app.scope
        case .employee(let employee): employee.scope
        }
    }
}
