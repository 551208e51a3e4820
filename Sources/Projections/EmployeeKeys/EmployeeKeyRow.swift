public import Canonical
public import FoundationEssentials
public import Identity
import Postgres

/// A device key of an employee as the view keeps one.
public struct EmployeeKeyRow: Sendable, Equatable {
    /// What the log says of a key; that a pending one expired follows from the time.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Waits for somebody with authority.
        case pending
        /// In force.
        case authorized
        /// Turned down.
        case refused
        /// Ended for ever.
        case revoked
    }

    /// Who decided, without what they signed.
    public struct Decider: Sendable, Hashable {
        /// `founding`, `policy`, `app`, `employee` or `operator`.
        public var kind: String
        /// The app or the employee.
        public var id: UUID?
    }

    /// The last decision about a key.
    public struct Decision: Sendable, Hashable {
        /// When.
        public var time: Timestamp
        /// The event that holds it.
        public var place: EventPlace
        /// Who.
        public var by: Decider
        /// Why, as a code, where a key was refused or revoked.
        public var reason: String?
        /// Why, in free text, sealed under the employee's key.
        public var note: SealedText?
    }

    /// The employee.
    public var employee: EmployeeID
    /// The public key.
    public var key: PublicKeyBytes
    /// What the log says of it.
    public var state: State
    /// Whether it was the employee's first.
    public var isFirst: Bool
    /// The flow that presented it last.
    public var flow: FlowID
    /// When it was presented last.
    public var presentedAt: Timestamp
    /// Where it was presented last.
    public var presented: EventPlace
    /// The decision that led to ``state``; nil while it is pending.
    public var decision: Decision?

    /// Until when a pending key waits.
    public var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

    /// Whether the key waited too long at a time.
    public func isExpired(at time: Timestamp) -> Bool { state == .pending && expiresAt < time }

    /// The name of the state at a time: that of ``state``, or `expired`.
    public func stateName(at time: Timestamp) -> String { isExpired(at: time) ? "expired" : state.rawValue }
}
