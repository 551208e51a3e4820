import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import TenureAPI

/// What a passkey of a session's account signed in a registration.
package struct SignedJoining: Sendable, RedactedDescription {
    /// The account of the passkey, which is logged in.
    package let caller: EmployeeCaller
    package let challenge: [UInt8]
    /// The evidence of kind 2.
    package let evidence: [UInt8]

    package init(by caller: EmployeeCaller, challenge: [UInt8], evidence: [UInt8]) {
        (self.caller, self.challenge, self.evidence) = (caller, challenge, evidence)
    }
}

/// Makes the challenge that a passkey of another account signs in a registration. It names both accounts, each with its
/// tenant, and the new device key.
package struct ChallengeJoining: UseCase {
    /// The account that is logged in.
    package let caller: EmployeeCaller
    /// The public key of the new passkey.
    package let key: [UInt8]
    package let flow: String
    package let app: AppCaller

    package init(by caller: EmployeeCaller, key: [UInt8], flow: String, app: AppCaller) {
        (self.caller, self.key, self.flow, self.app) = (caller, key, flow, app)
    }

    package func authorize() throws(ServiceError) { try app.requirePages() }

    /// Returns the bytes.
    ///
    /// - Throws: `employee.key_invalid` for a key that is none, for an account of the same tenant, or if the service
    ///   takes no passkeys.
    package func run(_ run: UseCaseRun<[UInt8]>) async throws -> [UInt8] {
        let context = run.context, time = run.call.time
        let state = try await FlowStore(context: context).load(
            handle: flow, purpose: .registration, app: app, at: time
        ).state
        guard let rules = try await context.passkeyRules(), let key = PublicKeyBytes(key),
            caller.tenantId != state.tenantId
        else { throw ServiceError(.employeeKeyInvalid) }
        return try context.passkeyChallenge(
            of: rules.rpID, visitor: state.visitor, app: app.appId, at: time, addedBy: caller,
            joining: state.joined(by: key)
        ).bytes
    }
}

/// A known person without a secret who registers, with the signature of another account's passkey.
struct Joining: Sendable {
    /// The account of the passkey that signed.
    let caller: EmployeeCaller
    let event: JoinedByPasskey
    let expires: Timestamp
    /// The device key of the new account.
    let passkey: PasskeyFacts

    /// Verifies the signature. The append asks ``User`` whether the account and its passkey may sign.
    ///
    /// - Throws: `employee.key_invalid` for whatever is wrong; `flow.expired`; `session.invalid`.
    init(
        _ signed: SignedJoining, of state: FlowState, passkey: PasskeyFacts, _ rules: PasskeyRules,
        _ time: Timestamp, _ context: ServiceContext
    ) async throws {
        let challenge = try context.passkeyChallenge(
            signed.challenge, of: rules.rpID, visitor: state.visitor, app: state.appId, at: time,
            addedBy: signed.caller, joining: state.joined(by: try state.deviceKey))
        let own = try await OwnAccount(of: signed.caller, context).employee.state
        let origins = rules.origins.map(\.text)
        guard let evidence = try? DeviceEvidence(bytes: signed.evidence), let bytes = SignatureBytes(signed.evidence),
            let signer = own.keys.values.first(where: { key in
                guard let facts = key.passkey?.facts, let known = try? EmployeePublicKey(bytes: key.key.bytes) else {
                    return false
                }
                return (try? evidence.check(facts.identity, origins: origins)) != nil
                    && (try? evidence.verify(over: challenge.bytes, by: known)) != nil
            })
        else { throw ServiceError(.employeeKeyInvalid) }
        caller = signed.caller
        event = JoinedByPasskey(
            userID: UserID(state.userId), key: signer.key, challenge: challenge.bytes, evidence: bytes)
        (expires, self.passkey) = (challenge.fields.expires, passkey)
    }

    /// Adds the event to the stream of the user.
    ///
    /// - Throws: `authorization.not_permitted` if the account is another person's, the person has a secret, or the
    ///   passkey is not in force.
    func add(to recorder: inout FlowRecorder, of user: UserSnapshot, by employee: EmployeeID) async throws {
        let loader = StateLoader(reader: recorder.context.reader), tenant = TenantID(caller.tenantId)
        let signer = try await loader.employee(EmployeeID(caller.employeeId), in: tenant)
        let company = try await loader.tenant(tenant)
        let join = User.JoinByPasskey(event, by: signer.state, company.state.policy, at: recorder.call.time)
        try recorder.add(
            User.decided(user.state, .join(join)), to: .user(user.id), version: user.version, by: employee)
        recorder.expectations[.employee(signer.id, in: tenant)] = signer.version
        recorder.expectations[.tenant(tenant)] = company.version
        recorder.ledgers.insert(LedgerID(tenant.uuid))
        recorder.notAfter = [recorder.notAfter, expires].compactMap(\.self).min()
    }
}

extension FlowState {
    /// What the nonces of challenges are bound to.
    fileprivate var visitor: String { Base64URL.encode(secret) }

    /// The account that the flow registers.
    fileprivate func joined(by key: PublicKeyBytes) -> JoinedAccount {
        JoinedAccount(flow: id, tenant: tenantId, employee: employeeId, key: KeyFingerprint(of: key))
    }
}
