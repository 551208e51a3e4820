import Canonical
import Credentials
import EventCoding
import FoundationEssentials
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
            return passkey.isBackedUp == payload.backedUp ? Self.sameBackup : nil
        case let payload as PasskeyCounted:
            return employees[payload.employeeID]?.key(payload.fingerprint)?.passkey == nil ? Self.noPasskey : nil
        case let payload as PasskeyCounterRepeated:
            guard employees[payload.employeeID]?.key(payload.fingerprint)?.passkey != nil else { return Self.noPasskey }
            return payload.counter > payload.previous ? Self.grown : nil
        case let payload as WaitEnded:
            return evidence(event, payload.deviceSignature, of: payload.employeeID, payload.key)
        default:
            guard case .employee(let signer, let signed?)? = (payload as? any DecidedEvent)?.by else { return nil }
            return evidence(event, signed.signature, of: signer, signed.key)
        }
    }

    static let noPasskey = "an event is about a passkey that the account does not have"
    static let notInForce = "a log-in is by a passkey that is not in force"
    static let secretNeeded = "a log-in is by a passkey alone, and the company asks for a secret"
    static let answered = "a log-in is by the assertion that presented the passkey"
    static let noAssertion = "a log-in by a passkey has no assertion over its challenge"
    static let expired = "the challenge of a log-in has expired"
    static let lasting = "the challenge of a log-in lasts longer than two minutes"
    static let addedWithoutKey = "a passkey is added to an account without a device key in force"
    static let unsignedPresentation = "a passkey is presented without an assertion over the challenge of its flow"
    static let otherFacts = "a device key is presented with facts that differ from those of the account"
    static let wrongKind = "a device key is presented as another kind than it is"
    static let sameBackup = "a passkey's backup changes to what it was"
    static let grown = "a counter that grew is noted as repeated"
    static let stopped = "a session is opened by a passkey that an admin must decide about first"
    static let unnoted = "a log-in does not note what its passkey says of backup or counter"
    static let otherKind = "the evidence of a device is of another kind than its key, relying party or origin"

    /// Whether a session is opened by a passkey that its counter stopped, in the same append or before. Log-ins with a
    /// secret may be decided a moment earlier.
    func isStopped(_ session: SessionOpened, at time: Timestamp) -> Bool {
        guard let passkey = employees[session.employeeID]?.key(session.fingerprint)?.passkey,
            passkey.isStopped(by: tenant.policy), let since = passkey.copiedSince
        else { return false }
        return since == time || since.adding(.seconds(120)) < time
    }

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
        let inForce = facts.flatMap { originsInForce(of: $0.rpID, event) }
        let origins = inForce ?? (evidence.assertion.map { [$0.clientData.origin] } ?? [])
        return (try? evidence.check(identity, origins: origins)) != nil
    }

    /// The origins that may have been in force for a site; `nil` if this check does not hold the events that set them.
    private func originsInForce(of rpID: String, _ event: RecordedEvent) -> [String]? {
        guard let system else { return nil }
        // In a ledger that is ahead, the recorded time is later than that of the append.
        let rules = system.passkeyRules(from: times.earliest ?? event.time, to: event.time)
        if rules.isEmpty, !system.isWhole { return nil }
        return rules.filter { $0.rpID == rpID }.flatMap { $0.origins.map(\.text) }
    }

    /// Checks the kind of the evidence of a flow's proof. A key that nobody presented yet is presented in the same
    /// append, and is held against the evidence then.
    mutating func proved(_ event: RecordedEvent) -> String? {
        guard CauseTable.proofs.contains(event.type), let payload = try? EventCodec.payload(of: event) else {
            return nil
        }
        secretProof = event.id
        let key: PublicKeyBytes, signature: SignatureBytes
        switch payload {
        case let payload as AnswersValidated:
            (key, signature) = (payload.validation.employeeKey, payload.validation.deviceSignature)
        case let payload as PassphraseValidated:
            (key, signature) = (payload.validation.employeeKey, payload.validation.deviceSignature)
        case let payload as MPinValidated:
            guard let named = try? Challenge(kept: payload.challenge).fields.employeeKey.bytes,
                let own = PublicKeyBytes(named)
            else { return nil }
            (key, signature) = (own, payload.deviceSignature)
        default: return nil
        }
        if signature.isOfPasskey { provedFlows.insert(event.stream.id) }
        if case let facts?? = presentedKeys[key] { return isOfKind(event, signature, facts) ? nil : Self.otherKind }
        if presentedKeys[key] != nil { return isOfKind(event, signature, nil) ? nil : Self.otherKind }
        unpresented = (event.time, key, signature)
        return nil
    }

    /// Remembers what a passkey's log-in must note in the same append, before the event is applied.
    ///
    /// The recorded time may be later than the decision, by which a log-in overtook fewer others.
    mutating func expectNotes(_ event: RecordedEvent, _ payload: any EventPayload) {
        switch payload {
        case let payload as EmployeeKeyPresented:
            if presentedKeys[payload.key] == nil { presentedKeys[payload.key] = .some(payload.passkey) }
            for name in payload.passkey.map({ [$0.credentialID, $0.userHandle.bytes] }) ?? [] {
                if passkeyOwners[name] == nil { passkeyOwners[name] = payload.employeeID }
            }
        case let payload as PasskeyValidated:
            let note = Employee.NotePasskey(
                fingerprint: payload.fingerprint, evidence: payload.evidence, time: decidedAt(event))
            let events = try? Employee.decided(employees[payload.employeeID] ?? Employee.initial, .notePasskey(note))
            awaitedNotes += (events ?? []).map { (event.position, event.time, $0) }
        case let payload as PasskeyBackupChanged:
            awaitedNotes.removeAll { $0.note == .passkeyBackupChanged(payload) }
        case let payload as PasskeyCounterRepeated:
            awaitedNotes.removeAll {
                guard case .passkeyCounterRepeated(let note) = $0.note else { return false }
                return note.fingerprint == payload.fingerprint && note.counter == payload.counter
            }
        default: break
        }
    }

    /// Checks the facts of a presented passkey against the assertion that proves them, and against the account.
    private func presented(_ event: RecordedEvent, _ payload: EmployeeKeyPresented) -> String? {
        guard (payload.kind == .passkey) == (payload.passkey != nil) else {
            return Self.wrongKind
        }
        let state = employees[payload.employeeID] ?? Employee.initial
        guard (try? Employee.check(payload.passkey, of: payload.key, in: state)) != nil else {
            return Self.otherFacts
        }
        if let proof = unpresented, proof.time == event.time, proof.key == payload.key,
            !isOfKind(event, proof.signature, payload.passkey)
        {
            return Self.otherKind
        }
        guard let facts = payload.passkey else { return nil }
        // An authenticator keeps one passkey for each handle.
        guard payload.first == state.keys.isEmpty,
            [facts.credentialID, facts.userHandle.bytes].allSatisfy({
                passkeyOwners[$0] ?? payload.employeeID == payload.employeeID
            })
        else { return Self.otherFacts }
        let isAdded = event.causes.isEmpty
        if isAdded, !state.keys.values.contains(where: { $0.status == .authorized }) { return Self.addedWithoutKey }
        // Its flow has another proof.
        if !isAdded, state.keys[payload.key]?.passkey?.facts == facts { return nil }
        guard let key = try? EmployeePublicKey(bytes: payload.key.bytes),
            isOfFlow(event, payload, facts, key),
            let evidence = try? DeviceEvidence(bytes: facts.evidence.bytes),
            let said = evidence.assertion?.authenticatorData,
            (try? evidence.verify(over: facts.challenge, by: key)) != nil,
            said.flags.contains(.backupEligible) == facts.isBackupEligible,
            said.flags.contains(.backedUp) == facts.isBackedUp, Int(said.counter) == facts.counter
        else { return Self.unsignedPresentation }
        return isOfKind(event, facts.evidence, facts) ? nil : Self.otherKind
    }

    /// Whether a presented passkey signed a challenge of its flow. One that its owner adds has no other proof, so its
    /// challenge names the account. In another flow it names the key, or neither.
    private func isOfFlow(
        _ event: RecordedEvent, _ payload: EmployeeKeyPresented, _ facts: PasskeyFacts, _ key: EmployeePublicKey
    ) -> Bool {
        let isAdded = event.causes.isEmpty
        if let fields = try? Challenge(parsing: facts.challenge).fields {
            // The device signs before its owner has entered the rest.
            let end = fields.expires.adding(FlowKind.registration.lifetime)
            return !isAdded && [.registration, .login, .recovery].contains(fields.purpose)
                && fields.employeeKey == key && fields.tenant == event.ledger.uuid && fields.flow == payload.flow.uuid
                && decidedAt(event) <= end && isShort(event, fields.expires)
        }
        guard let fields = try? PasskeyChallenge(parsing: facts.challenge).fields else { return false }
        let account = isAdded ? (event.ledger.uuid, payload.employeeID.uuid) : nil
        return fields.flow == payload.flow.uuid && fields.rpID == facts.rpID && fields.app == event.app?.lowercased
            && fields.tenant == account?.0 && fields.employee == account?.1
            && decidedAt(event) <= fields.expires && isShort(event, fields.expires)
    }

    /// Whether a challenge that was answered for an event expires as soon as every challenge does.
    private func isShort(_ event: RecordedEvent, _ end: Timestamp) -> Bool {
        end <= event.time.adding(FlowState.challengeLifetime + Self.appendTime)
    }

    /// Checks the assertion of a log-in by a passkey alone, whose challenge names the flow and expires.
    private func validated(_ event: RecordedEvent, _ payload: PasskeyValidated) -> String? {
        guard let state = employees[payload.employeeID], state.account?.status == .active,
            let known = state.key(payload.fingerprint), known.status == .authorized, let facts = known.passkey?.facts
        else { return Self.notInForce }
        guard tenant.policy.logIn != .secret else { return Self.secretNeeded }
        guard known.passkey?.isStopped(by: tenant.policy) != true else { return Self.stopped }
        // Twice in one flow is found as a cause that an event repeats.
        guard !state.keys.values.contains(where: { $0.flow == payload.flow }) else { return Self.answered }
        guard let key = try? EmployeePublicKey(bytes: known.key.bytes),
            let challenge = try? PasskeyChallenge(parsing: payload.challenge),
            challenge.fields.purpose == .loginPasskey, challenge.fields.flow == payload.flow.uuid,
            challenge.fields.rpID == facts.rpID, challenge.fields.app == event.app?.lowercased,
            let evidence = try? DeviceEvidence(bytes: payload.evidence.bytes),
            (try? evidence.verify(over: payload.challenge, by: key)) != nil
        else { return Self.noAssertion }
        guard decidedAt(event) <= challenge.fields.expires else { return Self.expired }
        guard isShort(event, challenge.fields.expires) else { return Self.lasting }
        return isOfKind(event, payload.evidence, facts) ? nil : Self.otherKind
    }
}
