package import EventCoding
package import FoundationEssentials
import Identity
package import Keys
import Ledger

/// The names of an account's devices, decrypted while the key of the person exists. The latest name counts.
package struct DeviceNames: Sendable, Equatable {
    private var names: [KeyFingerprint: String] = [:]

    /// Reads the names from the events of the account.
    ///
    /// - Parameter keys: The key of the person; without it there are no names.
    /// - Throws: `KeysError` if a name was changed or moved.
    package init(_ employee: EmployeeSnapshot, keys: [UUID: PersonKey]) throws {
        for event in employee.events where event.type == DeviceNamed.type {
            guard let named = try EventCodec.payload(of: event, keys: keys) as? DeviceNamed else { continue }
            names[named.fingerprint] = named.name.text
        }
    }

    /// The name of a device; `nil` without one.
    ///
    /// - Parameter fingerprint: The SHA-256 of the device key.
    package subscript(fingerprint: [UInt8]) -> String? {
        KeyFingerprint(fingerprint).flatMap { names[$0] }
    }
}
