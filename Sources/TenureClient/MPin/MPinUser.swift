public import Foundation
public import TenureAPI

/// A user of M-Pin: a user id on this device, and the state of its identity.
///
/// ``MPinClient/makeNewUser(_:deviceName:)`` makes one, and ``MPinClient/listUsers()`` returns those that are stored.
/// For one user id and backend there is one object; calls with another object are `FLOW_ERROR`.
///
/// `@unchecked Sendable`: `snapshot` is accessed only while `lock` is held.
public final class MPinUser: @unchecked Sendable {
    /// The state of a user. The raw value is Milagro's name; stores hold it.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Made or deleted, unknown to the service.
        case invalid = "INVALID"
        /// The service issued an M-Pin ID and waits for the verification of the identity.
        case startedRegistration = "STARTED_REGISTRATION"
        /// The service verified the identity at once.
        case activated = "ACTIVATED"
        /// This device has a token. The only state that can authenticate.
        case registered = "REGISTERED"
        /// The PIN was wrong too often, or the identity was revoked. Delete the user and register again.
        case blocked = "BLOCKED"
    }

    /// What changes with the state.
    struct Snapshot {
        var state = State.invalid
        var backend: String?
        var identityId: UUID?
        var pinDigits: Int?
        var employee: EmployeeSummaryResponse?
    }

    /// The user id: an e-mail address or any other name.
    public let id: String
    /// The name of the device, which the service shows to the person.
    public let deviceName: String?
    private let lock = NSLock()
    private var snapshot = Snapshot()

    init(id: String, deviceName: String?) {
        self.id = id
        self.deviceName = deviceName
    }

    /// Returns the state.
    public func getState() -> State { current.state }

    /// The backend that the user belongs to; `nil` before the registration starts.
    public var backend: String? { current.backend }

    /// The service's id of the identity, for example for an admin who revokes it; `nil` before the registration starts.
    public var identityId: UUID? { current.identityId }

    /// The number of digits of the PIN; `nil` unless the user is registered.
    public var pinDigits: Int? { current.pinDigits }

    /// The account that the last authentication or link named; `nil` for an identity without an account.
    public var employee: EmployeeSummaryResponse? { current.employee }

    var current: Snapshot { lock.withLock { snapshot } }

    /// Shows what the store has.
    func show(_ record: MPinRecord?) {
        lock.withLock {
            snapshot = Snapshot(
                state: record?.state ?? .invalid, backend: record?.backend, identityId: record?.identityId,
                pinDigits: record?.state == .registered ? record?.pinDigits : nil,
                employee: record == nil ? nil : snapshot.employee)
        }
    }

    func name(_ employee: EmployeeSummaryResponse?) { lock.withLock { snapshot.employee = employee } }
}
