import Canonical
import EventCoding
import FoundationEssentials
import Identity

extension Decider {
    /// Applies events that are about to be appended to a stream at a version.
    fileprivate static func apply(_ events: [Event], to state: inout State, at version: Int, _ time: Timestamp) {
        for (offset, event) in events.enumerated() {
            evolve(
                &state,
                Recorded(event, id: UUID.random(), time: time, position: .max, version: version + offset + 1))
        }
    }
}

extension TenantSnapshot {
    /// Applies events that are about to be appended.
    mutating func apply(_ events: [TenantEvent], at time: Timestamp) {
        Tenant.apply(events, to: &state, at: version, time)
    }
}

extension EmployeeSnapshot {
    /// Applies events that are about to be appended.
    mutating func apply(_ events: [EmployeeEvent], at time: Timestamp) {
        Employee.apply(events, to: &state, at: version, time)
    }
}
