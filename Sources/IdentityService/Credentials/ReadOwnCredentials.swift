package import Canonical
import Credentials
import ErrorCodes
import EventCoding
import Identity
import Ledger

/// What the owner of an account may know of the credentials, and the device key that a change of them begins with.
package struct OwnCredentials: Sendable, Equatable {
    /// The public key of the session's device, 65-byte X9.63.
    package let employeePublicKey: [UInt8]
    /// When the credentials in force were set.
    package let setAt: Timestamp
    package let acceptsAnswers: Bool
    package let acceptsPassphrase: Bool
    /// Whether the person has no secret.
    package var isSecretless = false
    /// The passkey that the session was opened with; `nil` for another key.
    package var passkey: DevicePasskey?

    package init(employeePublicKey: [UInt8], setAt: Timestamp, acceptsAnswers: Bool, acceptsPassphrase: Bool) {
        self.employeePublicKey = employeePublicKey
        self.setAt = setAt
        self.acceptsAnswers = acceptsAnswers
        self.acceptsPassphrase = acceptsPassphrase
    }
}

/// Reads by what the caller logs in, from the log itself.
package struct ReadOwnCredentials: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// - Throws: `session.invalid` if the device key of the session is not in force any more.
    package func run(_ run: UseCaseRun<OwnCredentials>) async throws -> OwnCredentials {
        let context = run.context, own = try await OwnAccount(of: caller, context).employee.state
        let key = own.keys.values.first {
            $0.status == .authorized && ServiceContext.fingerprint(of: $0.key) == caller.fingerprint
        }
        guard let account = own.account, let key else { throw ServiceError(.sessionInvalid) }
        let user = try await StateLoader(reader: context.reader).user(account.user)
        guard let credentials = user.state.credentials,
            let event = user.events.first(where: { $0.position == credentials.place.position })
        else { throw ServiceError(.sessionInvalid) }
        let opening = try StoredCredentials(kept: credentials.record).record.sealed.context
        var answer = OwnCredentials(
            employeePublicKey: key.key.bytes, setAt: event.time, acceptsAnswers: opening.acceptsAnswers,
            acceptsPassphrase: opening.acceptsPassphrase)
        (answer.isSecretless, answer.passkey) = (credentials.isSecretless, DevicePasskey(key))
        return answer
    }
}
