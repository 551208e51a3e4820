import Canonical
import Ledger

/// One request of a caller, with its input: a log-in that starts, a device key that is authorized, a list that is read.
///
/// The route makes the value and a ``UseCaseRunner`` runs it:
///
///     let started = try await service.run(StartLogin(.login, request, app: app), call)
///
/// Inputs with these names mean the same in every use case: `company` is the tenant's name, `flow` a flow's handle,
/// `cookie` the value of the browser's cookie, and `waitFor` a position in the tenant's ledger that the projection must
/// have reached.
package protocol UseCase<Answer>: Sendable {
    /// The outcome.
    associatedtype Answer: Sendable

    /// Refuses a caller that may never make this request, before anything is read or stored.
    ///
    /// - Throws: `app.role_missing`.
    func authorize() throws(ServiceError)

    /// Does what is asked.
    ///
    /// - Throws: ``ServiceError`` for the refusals in the API contract. Anything else is a defect or a lost database.
    func run(_ run: UseCaseRun<Answer>) async throws -> Answer
}

extension UseCase {
    /// Refuses nobody.
    package func authorize() throws(ServiceError) {}
}

/// A use case that runs at most once for each `Idempotency-Key` of its caller.
package protocol RepeatableUseCase<Answer>: UseCase {
    /// The owner of the key; `nil` if the caller cannot be told, which ignores the key.
    func keyOwner(in context: ServiceContext) -> String?

    /// Whether a reply may be stored for this request. A caller without credentials must leave no row.
    func mayStore(in context: ServiceContext) async throws -> Bool

    /// The first reads, which are sent in the round trip that takes the right to the key.
    func firstReads(in context: ServiceContext) -> PipelinedReads?
}

extension RepeatableUseCase {
    package func mayStore(in context: ServiceContext) async throws -> Bool { true }
    /// Nothing is read early.
    package func firstReads(in context: ServiceContext) -> PipelinedReads? { nil }
}

/// A use case of an app, which owns the key.
package protocol AppUseCase<Answer>: RepeatableUseCase {
    /// The calling app.
    var app: AppCaller { get }
}

extension AppUseCase {
    package func keyOwner(in context: ServiceContext) -> String? { app.keyOwner }
}

/// A use case of an app or an employee, who owns the key.
package protocol CallerUseCase<Answer>: RepeatableUseCase {
    /// The kind of caller.
    associatedtype Owner: KeyOwner
    var caller: Owner { get }
}

extension CallerUseCase {
    package func keyOwner(in context: ServiceContext) -> String? { caller.keyOwner }
}

/// One run of a use case: the components, the call's metadata, and the right to store the reply.
package struct UseCaseRun<Answer: Sendable>: Sendable {
    /// The components and settings.
    package let context: ServiceContext
    /// The call's metadata.
    package let call: Call
    /// The right to store the reply; `nil` without an `Idempotency-Key`.
    let ticket: IdempotencyTicket<Answer>?

    init(context: ServiceContext, call: Call, ticket: IdempotencyTicket<Answer>? = nil) {
        self.context = context
        self.call = call
        self.ticket = ticket
    }

    /// The rows of the use case's ``RepeatableUseCase/firstReads(in:)``, if they were sent.
    var firstRows: PipelinedRows? { ticket?.firstRows }
}

/// Encodes the outcomes of a use case as they are sent. A repeated call gets the same reply.
package struct WireForm<Answer: Sendable>: Sendable {
    let answer: @Sendable (Answer) -> StoredReply
    let refusal: @Sendable (ServiceError) -> StoredReply

    /// - Parameters:
    ///   - answer: Encodes an answer.
    ///   - refusal: Encodes a refusal.
    package init(
        answer: @escaping @Sendable (Answer) -> StoredReply,
        refusal: @escaping @Sendable (ServiceError) -> StoredReply
    ) {
        self.answer = answer
        self.refusal = refusal
    }
}

/// The result of a call that may repeat an earlier one.
package enum CallResult<Answer: Sendable>: Sendable, RedactedDescription {
    /// The use case ran.
    case answered(Answer)
    /// The call repeats an earlier one. This is the reply that the ``WireForm`` of the first call made.
    case repeated(StoredReply)
}

extension ServiceContext {
    /// Runs a use case.
    ///
    /// - Throws: ``ServiceError`` for the refusals in the API contract.
    package func run<Request: UseCase>(_ request: Request, _ call: Call) async throws -> Request.Answer {
        try request.authorize()
        return try await refusingTimes { try await request.run(UseCaseRun(context: self, call: call)) }
    }

    /// Runs a use case at most once for each `Idempotency-Key` of its caller.
    ///
    /// - Parameter form: Encodes the outcome, so that a repeated call gets the same reply.
    /// - Throws: ``ServiceError`` for the refusals in the API contract.
    package func reply<Request: RepeatableUseCase>(
        to request: Request, _ call: Call, as form: WireForm<Request.Answer>
    ) async throws -> CallResult<Request.Answer> {
        try request.authorize()
        guard let key = call.idempotencyKey, let owner = request.keyOwner(in: self) else {
            return .answered(
                try await refusingTimes { try await request.run(UseCaseRun(context: self, call: call)) })
        }
        let end = call.time.adding(IdempotencyTicket<Request.Answer>.lease)
        let ticket = IdempotencyTicket(
            key: key, owner: owner, ring: ring, lease: end.postgres,
            expiresAt: call.time.adding(settings.idempotencyLifetime), call: call, form: form)
        return try await refusingTimes {
            try await IdempotentCall(context: self, request: request, call: call).run(ticket)
        }
    }
}
