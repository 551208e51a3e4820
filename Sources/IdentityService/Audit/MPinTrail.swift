import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The M-Pin identities and activations of one ledger, folded without their texts.
struct MPinTrail: Sendable {
    /// The events of identities and activations, and the right proofs, which lie in flows.
    static let payloads: [any EventPayload.Type] =
        MPinIdentityEvent.payloads + MPinActivationEvent.payloads + [MPinAuthenticated.self]
    /// The names of these events, the policy's among them.
    static let types = Set((payloads + [MPinPolicyChanged.self]).map { $0.type })

    private var identities: [UUID: MPinIdentity.State] = [:]
    private var activations: [UUID: MPinActivation.State] = [:]
    /// The identities that used an activation code, which the same append verifies.
    private(set) var withCode: Set<UUID> = []
    /// The identities whose last wrong proof reached a limit, which one and where. The same append blocks them.
    private(set) var due: [UUID: (reason: MPinBlockReason, position: Int64)] = [:]
    /// The identities that were registered or cleared, and where, without the right proof that the same append has.
    private(set) var unproved: [UUID: Int64] = [:]
    /// What is wrong where the block and the limit do not agree.
    static let unblocked = "an M-Pin identity is not blocked exactly at its limit"
    /// What is wrong where a right proof is missing.
    static let unprovedWords = "an M-Pin identity was registered, or its count cleared, without a right proof"
    /// What the end of the ledger leaves open.
    var unresolved: [(position: Int64, words: String)] {
        due.values.map { ($0.position, Self.unblocked) } + unproved.values.map { ($0, Self.unprovedWords) }
    }

    func identity(_ stream: StreamID) -> MPinIdentity.State { identities[stream.id] ?? MPinIdentity.initial }

    func identity(_ id: MPinIdentityID) -> MPinIdentity.State { identities[id.uuid] ?? MPinIdentity.initial }

    func activation(_ stream: StreamID) -> MPinActivation.State { activations[stream.id] ?? MPinActivation.initial }

    /// Applies an event, right or wrong.
    mutating func learn(_ event: RecordedEvent, _ payload: any EventPayload) {
        func recorded<Event: AggregateEvent>(_ own: Event) -> Recorded<Event> {
            Recorded(own, id: event.id, time: event.time, position: event.position, version: event.streamVersion)
        }
        if let own = MPinIdentityEvent(payload) {
            expect(event, payload)
            MPinIdentity.evolve(&identities[event.stream.id, default: MPinIdentity.initial], recorded(own))
            if payload is MPinIdentityVerified { withCode.remove(event.stream.id) }
        }
        if let proof = payload as? MPinAuthenticated { unproved[proof.identityID.uuid] = nil }
        if let own = MPinActivationEvent(payload) {
            MPinActivation.evolve(&activations[event.stream.id, default: MPinActivation.initial], recorded(own))
            if let used = payload as? MPinActivationUsed { withCode.insert(used.identityID.uuid) }
        }
    }

    /// Notes what the same append has to add to an event. What is missing is found once: at the identity's next event,
    /// or at the end of the ledger.
    private mutating func expect(_ event: RecordedEvent, _ payload: any EventPayload) {
        let id = event.stream.id, state = identity(event.stream)
        // An erasure may follow anything and makes up for nothing.
        if !(payload is MPinErased) { due[id] = nil }
        if !(payload is MPinFailuresCleared) { unproved[id] = nil }
        guard state.end == nil, !state.isErased else { return }
        switch (payload, state.progress) {
        case (let failed as MPinAuthenticationFailed, _):
            if failed.failures >= failed.limit {
                due[id] = (.failures, event.position)
            } else if failed.lifetime >= MPinIdentity.lifetimeLimit {
                due[id] = (.lifetime, event.position)
            }
        case (is MPinRegistered, .issued): unproved[id] = event.position
        case (is MPinFailuresCleared, .registered) where state.failures > 0: unproved[id] = event.position
        default: break
        }
    }

    /// Whether an event is in the stream that it changes. Only the first event of an identity names it.
    static func isPlaced(_ event: RecordedEvent, _ payload: any EventPayload) -> Bool {
        let tenant = TenantID(event.ledger.uuid)
        if MPinActivationEvent(payload) != nil {
            return event.data["activationId"]?.uuid.map { .activation(MPinActivationID($0), in: tenant) }
                == event.stream
        }
        if let started = payload as? MPinRegistrationStarted {
            return event.stream == .mpin(started.identityID, in: tenant)
        }
        if payload is MPinAuthenticated { return event.stream == .flow(event.stream.id, in: tenant) }
        return event.stream.kind == StreamID.mpinKind
    }
}
