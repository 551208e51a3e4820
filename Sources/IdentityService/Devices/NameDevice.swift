import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Gives one of the caller's own devices a name, which the owner and admins see. The latest name counts.
package struct NameDevice: UseCase {
    /// The fingerprint of the device key in hexadecimal.
    package let fingerprint: String
    /// The name, 1 to 128 bytes.
    package let name: String
    /// The owner of the account.
    package let caller: EmployeeCaller

    package init(fingerprint: String, name: String, caller: EmployeeCaller) {
        self.fingerprint = fingerprint
        self.name = name
        self.caller = caller
    }

    /// Records the name, unless the device has it.
    ///
    /// - Throws: `request.invalid` for a text that is no name; `authorization.unknown_key` for a device of somebody else
    ///   or one that is refused or revoked; `authorization.not_permitted` for a device that was named too often.
    package func run(_ run: UseCaseRun<Void>) async throws {
        let context = run.context
        let name = try parsed { () throws(ValueError) in try DeviceName(self.name) }
        guard let fingerprint = KeyFingerprint(hex: fingerprint.lowercased()) else {
            throw ServiceError(.authorizationUnknownKey)
        }
        try await optimistic {
            let own = try await OwnAccount(of: caller, context), employee = own.employee
            let keys = try await context.personKeys.load([employee.id.uuid], ledger: own.tenant.id.uuid)
            // Without the key the account is erased.
            guard keys[employee.id.uuid] != nil else { throw ServiceError(.sessionInvalid) }
            guard try DeviceNames(employee, keys: keys)[fingerprint.bytes] != name.text else { return }
            let events = try Employee.decided(
                employee.state, .nameDevice(Employee.NameDevice(fingerprint: fingerprint, name: name)))
            var recorder = EventRecorder(
                context, at: run.call.time,
                metadata: EventMetadata(actor: employee.id.uuid, requestId: run.call.requestId))
            try recorder.add(
                events, to: .employee(employee.id, in: own.tenant.id), version: employee.version, keys: keys)
            try await recorder.append()
        }
    }
}
