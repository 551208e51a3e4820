package import FoundationEssentials
import Identity
import Projections
import ServiceLifecycle

/// Waits until somebody has decided about a device key. It decides nothing: whoever waited reads the log.
package struct AwaitKeyDecision: ProjectionRead {
    package let tenant: UUID
    package let employee: UUID
    /// The SHA-256 of the key.
    package let fingerprint: [UInt8]
    /// The position of the last decision that the caller knows, or 0.
    package let position: Int64
    /// The moment until which to wait.
    package let deadline: ContinuousClock.Instant

    package init(
        tenant: UUID, employee: UUID, fingerprint: [UInt8], after position: Int64,
        until deadline: ContinuousClock.Instant
    ) {
        self.tenant = tenant
        self.employee = employee
        self.fingerprint = fingerprint
        self.position = position
        self.deadline = deadline
    }

    /// Waits, at most until the deadline or the shutdown of the service.
    package func run(_ reads: CompanyReads) async throws {
        guard !Task.isShuttingDownGracefully else { return }
        let key = WaitingKey(fingerprint, of: EmployeeID(employee), in: TenantID(tenant))
        try await reads.views.waitForDecision(about: key, after: position, until: deadline)
    }
}
