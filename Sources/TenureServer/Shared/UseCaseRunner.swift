package import IdentityService
import Postgres

/// Runs use cases and reads projections: the service as the HTTP layer uses it.
package protocol UseCaseRunner: Sendable {
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
package struct TenureService: UseCaseRunner {
    /// The components of the use cases.
    package let context: ServiceContext
    private let reads: CompanyReads
    private let probe: Readiness

    init(context: ServiceContext, reads: CompanyReads, readiness: Readiness) {
        self.context = context
        self.reads = reads
        probe = readiness
    }

    package func run<Request: UseCase>(_ request: Request, _ call: Call) async throws -> Request.Answer {
        // Either a read, or a change whose repetition has no further effect.
        try await patiently(repeats: true) { try await context.run(request, call) }
    }

    /// Runs a use case at most once for each `Idempotency-Key` of its caller.
    package func reply<Request: RepeatableUseCase>(
        to request: Request, _ call: Call, as form: WireForm<Request.Answer>
    ) async throws -> CallResult<Request.Answer> {
        // The key makes a repetition as harmless as one of the caller's.
        try await patiently(repeats: call.idempotencyKey != nil) {
            try await context.reply(to: request, call, as: form)
        }
    }

    package func read<Read: ProjectionRead>(_ read: Read) async throws -> Read.Answer {
        try await patiently(repeats: true) { try await read.run(reads) }
    }

    /// Reports what prevents the service from being ready, and faults that do not.
    package func readiness() async -> ReadinessReport { await probe.report() }

    /// The time that one call may wait for connections altogether.
    static let patience: Duration = .seconds(5)
    /// The number of connections that one call may lose before it fails.
    private static let losses = 3

    /// Runs a call within the patience. A call that may be repeated survives the loss of its connection: a restart of
    /// the database ends every connection at once, and the next one waits until the server is back.
    private func patiently<Answer>(
        repeats: Bool, _ body: () async throws -> Answer
    ) async throws -> Answer {
        let patience = ConnectionPatience(Self.patience)
        return try await ConnectionPatience.$current.withValue(patience) {
            for _ in 1..<Self.losses where repeats {
                do {
                    return try await body()
                } catch let error as PostgresError where error.isConnectionLost && patience.left > .zero {
                    continue
                }
            }
            return try await body()
        }
    }
}
