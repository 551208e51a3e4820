import Canonical
import Credentials
import EventCoding
import Identity
import Ledger

/// Judges passkeys and the kind of a device's evidence from the log alone.
extension AuthorityTrail {
    /// Checks an event about a passkey, and the kind of the evidence that a decision or a wait carries.
    func passkey(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case let payload as EmployeeKeyPresented: return presented(event, payload)
        case let payload as PasskeyValidated: return validated(event, payload)
        case let payload as PasskeyBackupChanged:
            guard let passkey = employees[payload.employeeID]?.key(payload.fingerprint)?.passkey else {
                return Self.noPasskey
            }
            return passkey.isBackedUp == payload.backedUp ? "a passkey's backup changes to what it was" : nil
        case let payload as PasskeyCounterRepeated:
            guard employees[payload.employeeID]?.key(payload.fingerprint)?.passkey != nil else { return Self.noPasskey }
            return payload.counter > payload.previous ? "a counter that grew is noted as repeated" : nil
        case let payload as WaitEnded:
            return evidence(event, payload.deviceSignature, of: payload.employeeID, payload.key)
        default:
            guard case .employee(let signer, let signed?)? = (payload as? any DecidedEvent)?.by else { return nil }
            return evidence(event, signed.signature, of: signer, signed.key)
        }
    }

    private static let noPasskey = "an event is about a passkey that the account does not have"
    private static let otherKind = "the evidence of a device is of another kind than its key, relying party or origin"

    /// Checks that evidence is of the kind of its key. A key that the account does not have is found elsewhere.
    private func evidence(
        _ event: RecordedEvent, _ signature: SignatureBytes, of employee: EmployeeID, _ key: PublicKeyBytes
    ) -> String? {
        guard let known = employees[employee]?.keys[key] else { return nil }
        return isOfKind(event, signature, known.passkey?.facts) ? nil : Self.otherKind
    }

    private func isOfKind(_ event: RecordedEvent, _ signature: SignatureBytes, _ facts: PasskeyFacts?) -> Bool {
        guard let evidence = try? DeviceEvidence(bytes: signature.bytes) else { return false }
        let identity = facts.map {
            PasskeyIdentity(
                rpID: $0.rpID, credentialID: $0.credentialID, isBackupEligible: $0.isBackupEligible)
        }
        let origins = originsInForce(event) ?? (evidence.assertion.map { [$0.clientData.origin] } ?? [])
        return (try? evidence.check(identity, origins: origins)) != nil
    }

    /// Checks the facts of a presented passkey against the assertion that proves them, and against the account.
    private func presented(_ event: RecordedEvent, _ payload: EmployeeKeyPresented) -> String? {
        guard (payload.kind == .passkey) == (payload.passkey != nil) else {
            return "a device key is presented as another kind than it is"
        }
        let state = employees[payload.employeeID] ?? Employee.initial
        guard (try? Employee.check(payload.passkey, of: payload.key, in: state)) != nil else {
            return "a device key is presented with facts that differ from those of the account"
        }
        guard let facts = payload.passkey else { return nil }
        guard let key = try? EmployeePublicKey(bytes: payload.key.bytes),
            isOfFlow(event, payload, facts, key),
            let evidence = try? DeviceEvidence(bytes: facts.evidence.bytes),
            let said = evidence.assertion?.authenticatorData,
            (try? evidence.verify(over: facts.challenge, by: key)) != nil,
            said.flags.contains(.backupEligible) == facts.isBackupEligible,
            said.flags.contains(.backedUp) == facts.isBackedUp, Int(said.counter) == facts.counter
        else { return "a passkey is presented without an assertion over the challenge of its flow" }
        return isOfKind(event, facts.evidence, facts) ? nil : Self.otherKind
    }

    /// Whether a presented passkey signed a challenge of its flow: one that names its key, or one that names neither
    /// account nor key, as the page of the account has it.
    private func isOfFlow(
        _ event: RecordedEvent, _ payload: EmployeeKeyPresented, _ facts: PasskeyFacts, _ key: EmployeePublicKey
    ) -> Bool {
        if let challenge = try? Challenge(parsing: facts.challenge) {
            return challenge.fields.employeeKey == key && challenge.fields.tenant == event.ledger.uuid
                && challenge.fields.flow == payload.flow.uuid
        }
        guard let challenge = try? PasskeyChallenge(parsing: facts.challenge) else { return false }
        return challenge.fields.flow == payload.flow.uuid && challenge.fields.rpID == facts.rpID
            && challenge.fields.app == event.app?.lowercased && decidedAt(event) <= challenge.fields.expires
    }

    /// Checks the assertion of a log-in by a passkey alone, whose challenge names the flow and expires.
    private func validated(_ event: RecordedEvent, _ payload: PasskeyValidated) -> String? {
        guard let state = employees[payload.employeeID], state.account?.isCancelled == false,
            let known = state.key(payload.fingerprint), known.status == .authorized, let facts = known.passkey?.facts
        else { return "a log-in is by a passkey that is not in force" }
        guard let key = try? EmployeePublicKey(bytes: known.key.bytes),
            let challenge = try? PasskeyChallenge(parsing: payload.challenge),
            challenge.fields.flow == payload.flow.uuid, challenge.fields.rpID == facts.rpID,
            challenge.fields.app == event.app?.lowercased,
            let evidence = try? DeviceEvidence(bytes: payload.evidence.bytes),
            (try? evidence.verify(over: payload.challenge, by: key)) != nil
        else { return "a log-in by a passkey has no assertion over its challenge" }
        guard decidedAt(event) <= challenge.fields.expires else { return "the challenge of a log-in has expired" }
        return isOfKind(event, payload.evidence, facts) ? nil : Self.otherKind
    }
}
