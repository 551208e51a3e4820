package import Canonical
package import FoundationEssentials

/// The log of this installation was founded. The event names the operator key and the keys that write the log.
package struct SystemFounded: EventPayload {
    /// The public half of the operator key.
    package var operatorKey: PublicKeyBytes
    /// The check value of the keys of this log: a service with other keys refuses to start.
    package var keyCheck: Bytes32

    package static let members = EventMembers<SystemFounded>(
        "SystemFounded", SystemFounded.init,
        Member("operatorKey", \.operatorKey, .point), Member("keyCheck", \.keyCheck))

    package init(operatorKey: PublicKeyBytes, keyCheck: Bytes32) {
        self.operatorKey = operatorKey
        self.keyCheck = keyCheck
    }
}

/// The operator accepted the time of a ledger whose latest event is ahead of the clock.
///
/// From then on the ledger's events have that time until the clock has passed it. The event lies in the system ledger, in
/// the stream of the accepted ledger.
package struct LedgerTimeAccepted: EventPayload {
    package var ledger: UUID
    /// The position of its latest event, at least 1.
    package var position: Int64
    /// The time of that event.
    package var time: Timestamp
    package var by: Authority

    package static let members = EventMembers<LedgerTimeAccepted>(
        "LedgerTimeAccepted", LedgerTimeAccepted.init,
        Member("ledger", \.ledger), Member("position", \.position, .position), Member("time", \.time),
        Member("by", \.by))
}
