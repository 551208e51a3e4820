import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Judges decisions about M-Pin: the policy, identities and activation codes.
///
/// User ids are encrypted, so verification cannot compare one with the names of the linked account.
extension AuthorityTrail {
    /// Returns what is wrong with an event about M-Pin, or `nil`.
    func mpin(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        let state = mpin.identity(event.stream), time = decidedAt(event)
        if MPinIdentityEvent(payload) != nil, !(payload is MPinErased), state.end != nil || state.isErased {
            return "an M-Pin identity has an event after its end"
        }
        if MPinIdentityEvent(payload) != nil, !(payload is MPinErased),
            mpin.due[event.stream.id]?.reason != (payload as? MPinBlocked)?.reason
        {
            return MPinTrail.unblocked
        }
        if MPinIdentityEvent(payload) != nil, mpin.unproved[event.stream.id] != nil,
            !(payload is MPinFailuresCleared)
        {
            return MPinTrail.unprovedWords
        }
        switch payload {
        case let payload as MPinRegistrationStarted:
            guard state.registration == nil, event.streamVersion == 1, payload.expiresAt > time else {
                return "an M-Pin identity is started a second time"
            }
            let policy = tenant.mpinPolicy
            return policy.enabled && policy.verification == payload.verification
                ? nil : "an M-Pin identity is started against the policy"
        case let payload as MPinLinked: return linked(event, payload, state)
        case let payload as MPinIdentityVerified: return verified(event, payload, state)
        case let payload as MPinAuthenticationFailed:
            let isCounted =
                payload.failures == state.failures + 1 && payload.lifetime == state.lifetimeFailures + 1
            return isCounted && payload.limit == tenant.mpinPolicy.maximumFailures
                ? nil : "the wrong proofs of an M-Pin identity are not counted as they happened"
        case let payload as MPinRevoked: return revoked(event, payload, state)
        case let payload as MPinErased:
            return decided(.erase, about: .newcomer, payload.by, event) {
                try MPinIdentity.decide(state, .erase($0))
            }
        case let payload as MPinActivationIssued: return activated(event, payload)
        case is MPinActivationFailed, is MPinActivationUsed:
            return mpin.activation(event.stream).isOpen(at: time)
                ? nil : "an activation code is entered that is closed or unknown"
        default: return progressed(payload, state)
        }
    }

    /// Judges what follows from a client's requests alone. Times are left out: an append may raise them.
    private func progressed(_ payload: any EventPayload, _ state: MPinIdentity.State) -> String? {
        let isPossible: Bool
        switch (payload, state.progress) {
        case (is MPinRegistrationRestarted, .started), (is MPinRegistrationRestarted, .activated),
            (is MPinRegistrationRestarted, .issued):
            isPossible = true
        case (is MPinClientKeyIssued, .activated), (is MPinRegistered, .issued): isPossible = true
        case (is MPinFailuresCleared, .registered): isPossible = state.failures > 0
        case (let proof as MPinAuthenticated, _):
            let identity = mpin.identity(proof.identityID)
            isPossible = identity.progress == .registered && identity.end == nil && !identity.isErased
        default:
            isPossible =
                !(payload is MPinRegistrationRestarted || payload is MPinClientKeyIssued || payload is MPinRegistered
                || payload is MPinFailuresCleared)
        }
        return isPossible ? nil : "an M-Pin identity takes a step that its state does not permit"
    }

    private func linked(
        _ event: RecordedEvent, _ payload: MPinLinked, _ state: MPinIdentity.State
    ) -> String? {
        guard let subject = subject(payload.employeeID) else { return "there is no such account" }
        let finding = decided(.linkMPin, about: subject, payload.by, event) { decision in
            guard AuthorityTable.permits(.linkMPin, about: subject, by: decision) else {
                throw MPinIdentity.Rejection.notPermitted
            }
            switch state.status(at: decidedAt(event)) {
            case .started, .activated: break
            default: throw MPinIdentity.Rejection.wrongState
            }
            guard state.link == nil, state.key == nil, payload.fingerprint == KeyFingerprint(of: decision.signer)
            else {
                throw MPinIdentity.Rejection.wrongState
            }
            return [payload.employeeID]
        }
        return signed(finding, payload.by, aboutIdentity(event, .link, state, payload.employeeID, payload.by))
    }

    private func verified(
        _ event: RecordedEvent, _ payload: MPinIdentityVerified, _ state: MPinIdentity.State
    ) -> String? {
        let time = decidedAt(event)
        func follows(_ proof: MPinIdentity.VerificationProof) throws -> [MPinIdentityEvent] {
            try MPinIdentity.decide(state, .verify(proof, at: time))
        }
        switch payload.method {
        case .email, .code:
            let proof: MPinIdentity.VerificationProof = payload.method == .email ? .email : .code
            guard payload.by == .policy, (try? follows(proof))?.isEmpty == false else {
                return "an M-Pin identity is verified that needs no verification, or another one"
            }
            return payload.method == .email || mpin.withCode.contains(event.stream.id)
                ? nil : "an M-Pin identity is verified by a code that was not used"
        case .application:
            let finding = decided(.verifyMPin, about: .newcomer, payload.by, event) { try follows(.application($0)) }
            return signed(finding, payload.by, aboutIdentity(event, .verify, state, nil, payload.by))
        case .device:
            guard let link = state.link, let subject = subject(link.employee) else {
                return "an M-Pin identity is verified by a device that it is not linked to"
            }
            let finding = decided(.linkMPin, about: subject, payload.by, event) { decision in
                guard AuthorityTable.permits(.linkMPin, about: subject, by: decision),
                    link.fingerprint == KeyFingerprint(of: decision.signer)
                else { throw MPinIdentity.Rejection.notPermitted }
                guard state.status(at: time) == .started else { throw MPinIdentity.Rejection.wrongState }
                return [link.employee]
            }
            return signed(finding, payload.by, aboutIdentity(event, .link, state, link.employee, payload.by))
        }
    }

    private func revoked(
        _ event: RecordedEvent, _ payload: MPinRevoked, _ state: MPinIdentity.State
    ) -> String? {
        switch payload.reason {
        case .superseded, .expired:
            let hasNoDevice = state.link.flatMap { employees[$0.employee]?.hasEnded($0.fingerprint) } ?? false
            let command: MPinIdentity.Command =
                payload.reason == .expired ? .expire(at: event.time) : hasNoDevice ? .endWithDevice : .supersede
            guard payload.by == .policy, (try? MPinIdentity.decide(state, command))?.isEmpty == false else {
                return "an M-Pin identity ends by policy although it is verified or not expired"
            }
            return nil
        case .gaveWay:
            let holder = state.link.flatMap { employees[$0.employee]?.account?.user }
            return payload.by == .policy && holder != nil && holder == payload.userID
                ? nil : "an M-Pin identity ends for an address that its account's user did not have"
        case .revoked, .reclaimed: break
        }
        let isReclaim = payload.reason == .reclaimed
        let account = state.link.flatMap { subject($0.employee) }
        let action: AuthorityTable.Action = isReclaim ? .reclaimEmail : .revokeMPin
        let finding = decided(action, about: account ?? .newcomer, payload.by, event) { decision in
            try MPinIdentity.decide(
                state, .revoke(MPinIdentity.Revoke(account: account, isReclaim: isReclaim, decision: decision)))
        }
        guard isReclaim else {
            return signed(finding, payload.by, aboutIdentity(event, .revoke, state, nil, payload.by))
        }
        return signed(
            finding, payload.by, compare(event, payload.by, .emailReclaim) { (signed: ReclaimStatement, _) in signed })
    }

    private func activated(_ event: RecordedEvent, _ payload: MPinActivationIssued) -> String? {
        let state = mpin.activation(event.stream)
        let finding = decided(.verifyMPin, about: .newcomer, payload.by, event) { decision in
            guard AuthorityTable.permits(.verifyMPin, about: .newcomer, by: decision) else {
                throw MPinActivation.Rejection.notPermitted
            }
            guard state.issue == nil, payload.expiresAt <= event.time.adding(MPinActivation.lifetime) else {
                throw MPinActivation.Rejection.issued
            }
            return [payload.activationID]
        }
        return signed(
            finding, payload.by,
            compare(event, payload.by, .mpinActivation) { signed, facts in
                facts.mpin(.activate, nil, payload.subject.bytes, reason: signed.reason)
            })
    }

    /// Compares a statement with the identity that it is about, and a link with the account.
    private func aboutIdentity(
        _ event: RecordedEvent, _ action: MPinStatement.Action, _ state: MPinIdentity.State, _ employee: EmployeeID?,
        _ by: Authority
    ) -> String? {
        var isOwn = false
        if case .employee(let signer, _) = by { isOwn = signer == state.link?.employee || signer == employee }
        // An app vouches in the append that starts the identity.
        let last = if case .employee = by { state.registration?.place.position ?? 0 } else { Int64(0) }
        return compare(event, by, action.tag, isOwn: isOwn, after: last) { signed, facts in
            facts.mpin(
                action, MPinIdentityID(event.stream.id), state.registration?.mpinIDHash.bytes ?? [],
                employee: employee, reason: signed.reason)
        }
    }

    /// Compares a statement with a change of the policy for M-Pin.
    func aboutMPinPolicy(_ event: RecordedEvent, _ payload: MPinPolicyChanged) -> String? {
        compare(event, payload.by, .policy) { _, facts in facts.policy(payload.policy) as PolicyStatement }
    }
}

extension MPinPolicy {
    /// The policy as a statement names it. The names differ from those of the tenant's other policy, so that no statement
    /// about one serves for the other.
    var settings: [String: PolicyStatement.Setting] {
        [
            "mpinEnabled": .flag(enabled), "mpinVerification": .code(verification.rawValue),
            "mpinMaximumFailures": .number(Int64(maximumFailures)), "mpinOpensSessions": .flag(opensSessions),
        ]
    }
}
