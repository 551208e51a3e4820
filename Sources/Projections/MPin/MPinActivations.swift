package import Canonical
package import EventCoding
package import Identity
import Ledger

/// An activation code in a tenant's log. Activation codes have no projection.
package struct MPinActivationEntry: Sendable, Equatable {
    package let id: MPinActivationID
    /// The user id that the code is for, encrypted under the activation's own key.
    package let userID: SealedText
    /// The time at which the code was issued.
    package let issuedAt: Timestamp
    package let position: Int64
    /// The time at which the code expires.
    package let expiresAt: Timestamp
    /// The number of wrong codes.
    package fileprivate(set) var failures = 0
    package fileprivate(set) var usedBy: MPinIdentityID?

    /// The name of the state at a time: `open`, `used`, `ended` after too many wrong codes, or `expired`.
    package func stateName(at time: Timestamp) -> String {
        if usedBy != nil { return "used" }
        if failures >= MPinActivation.maximumFailures { return "ended" }
        return time < expiresAt ? "open" : "expired"
    }
}

/// The activation codes of one ledger in memory.
struct MPinActivations: Sendable {
    private(set) var entries: [MPinActivationID: MPinActivationEntry] = [:]

    /// Applies an event, if it is one of an activation.
    mutating func apply(_ event: ProjectedEvent) throws {
        let id = MPinActivationID(event.recorded.stream.id)
        switch MPinActivationEvent(event.payload) {
        case .issued(let payload):
            guard entries[id] == nil else { return }
            entries[id] = MPinActivationEntry(
                id: id, userID: try event.sealedText("userId"), issuedAt: event.time, position: event.position,
                expiresAt: payload.expiresAt)
        case .failed: entries[id]?.failures += 1
        case .used(let payload): if entries[id]?.usedBy == nil { entries[id]?.usedBy = payload.identityID }
        case nil: break
        }
    }
}
