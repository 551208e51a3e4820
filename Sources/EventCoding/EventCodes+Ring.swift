package import Keys
package import Ledger

extension EventCodes {
    /// The codes under the events key of a ring, and those of older keys below the sizes that the log records.
    package init(_ ring: KeyRing) { self.init(key: ring.eventsKey, older: ring.olderEventsKeys) }
}
