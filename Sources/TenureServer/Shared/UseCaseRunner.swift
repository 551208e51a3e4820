public import IdentityService

/// Runs use cases and reads projections: the service as the HTTP layer uses it.
public protocol UseCaseRunner: Sendable {
    /// Runs a use case. An `Idempotency-Key` is ignored.
    ///
    /// - Throws: ``ServiceError`` for the refusals in the API contract. Anything else is a defect or a lost database.
    func run<Request: UseCase>(_ request: Request, _ call: Call) async throws -> Request.Answer

    /// Runs a use case at most once for each `Idempotency-Key` of its caller.
    ///
    /// - Parameter form: Encodes the outcome, so that a repeated call gets the same bytes.
    /// - Throws: As ``run(_:_:)``.
    func reply<Request: RepeatableUseCase>(
        to request: Request, _ call: Call, as form: WireForm<Request.Answer>
    ) async throws -> CallResult<Request.Answer>

    /// Reads a projection.
    ///
    /// - Throws: ``ServiceError`` for the refusals in the API contract. Anything else is a defect or a lost database.
    func read<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer

    /// Reports what prevents the service from being ready, and faults that do not.
    func readiness() async -> ReadinessReport
}

/// The service on the event log and its projections.
public struct TenureService: UseCaseRunner {
    /// The components of the use cases.
    package let context: ServiceContext
    private let reads: CompanyReads
    private let probe: Readiness

    init(context: ServiceContext, reads: CompanyReads, readiness: Readiness) {
        self.context = context
        self.reads = reads
        probe = readiness
    }

    /// Runs a use case.
    public func run<Request: UseCase>(_ request: Request, _ call: Call) async throws -> Request.Answer {
        try await context.run(request, call)
    }

    /// Runs a use case at most once for each `Idempotency-Key` of its caller.
    public func reply<Request: RepeatableUseCase>(
        to request: Request, _ call: Call, as form: WireForm<Request.Answer>
    ) async throws -> CallResult<Request.Answer> {
        try await context.reply(to: request, call, as: form)
    }

    /// Reads a projection.
    public func read<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer { try await read.run(reads) }

    /// Reports what prevents the service from being ready, and faults that do not.
    public func readiness() async -> ReadinessReport { await probe.report() }
}
