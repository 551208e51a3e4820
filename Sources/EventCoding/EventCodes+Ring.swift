package import Keys
package import Ledger

extension EventCodes {
    /// The codes under the events key of a ring.
    package init(_ ring: KeyRing) { self.init(key: ring.eventsKey) }
}
