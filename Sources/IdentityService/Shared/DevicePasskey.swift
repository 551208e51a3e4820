import Canonical
import Identity

/// A passkey that stands for the device key of a flow, a wait or a session, as a browser is asked for it.
package struct DevicePasskey: Sendable, Equatable, RedactedDescription {
    let facts: PasskeyFacts

    /// The passkey of a key; `nil` for another key.
    init?(_ key: Employee.Key?) { self.init(key?.passkey?.facts) }

    init?(_ facts: PasskeyFacts?) {
        guard let facts else { return nil }
        self.facts = facts
    }

    /// The site that it belongs to.
    package var rpID: String { facts.rpID }
    package var credential: [UInt8] { facts.credentialID }
}
