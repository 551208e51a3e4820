public import IdentityService

/// Runs use cases and reads projections: the service as the HTTP layer uses it.
public protocol UseCaseRunner: Sendable {
    /// Runs a use case, at most once for each `Idempotency-Key` of its caller.
    ///
    /// - Parameter form: Encodes the outcome, so that a repeated call can get it; `nil` ignores the key.
    /// - Throws: ``ServiceError`` for the refusals in the API contract. Anything else is a defect or a lost database.
    func run<Request: UseCase>(
        _ request: Request, _ call: Call, as form: WireForm<Request.Answer>?
    ) async throws -> CallResult<Request.Answer>

    /// Reads a projection.
    ///
    /// - Throws: ``ServiceError`` for the refusals in the API contract. Anything else is a defect or a lost database.
    func read<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer

    /// Reports what prevents the service from being ready, and faults that do not.
    func readiness() async -> ReadinessReport
}

extension UseCaseRunner {
    /// Runs a use case whose call is not repeated: its `Idempotency-Key` is ignored.
    ///
    /// - Throws: As ``run(_:_:as:)``.
    public func run<Request: UseCase>(_ request: Request, _ call: Call) async throws -> Request.Answer {
        switch try await run(request, call, as: nil) {
        case .answered(let answer): return answer
        // Without a form nothing was stored that could be repeated.
        case .repeated: throw ServiceError(.serviceUnavailable)
        }
    }
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
    public func run<Request: UseCase>(
        _ request: Request, _ call: Call, as form: WireForm<Request.Answer>?
    ) async throws -> CallResult<Request.Answer> {
        try await context.run(request, call, as: form)
    }

    /// Reads a projection.
    public func read<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer { try await read.run(reads) }

    /// Reports what prevents the service from being ready, and faults that do not.
    public func readiness() async -> ReadinessReport { await probe.report() }
}
