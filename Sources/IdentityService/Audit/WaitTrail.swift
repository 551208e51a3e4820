import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The flows of one ledger that a browser may still wait with, and what ended the waits.
///
/// A flow waits for at most 30 minutes after its proof: a validation, or the presentation of a key. Older ones are
/// forgotten.
struct WaitTrail: Sendable {
    /// A proof of a flow.
    private struct Proof: Sendable {
        let employee: UUID
        let key: KeyFingerprint
        let time: Timestamp
        /// Whether the flow proved a secret. Otherwise the secrets were chosen, in a registration or a recovery.
        var isOfSecret: Bool
    }

    static let unproved = "a wait ends whose flow was not proved with that key in the 30 minutes before"
    static let repeated = "the wait of a flow ends a second time"
    static let confirmedAgain = "a device is confirmed by mail a second time in one flow"
    static let sessionless = "a wait ends without the session that it names"
    static let unvouched = "a device is confirmed by mail, and no app authorizes its key with that"
    static let unprovedMail =
        "a device is confirmed by mail whose flow was not proved with that key in the 30 minutes before"
    static let chosenSecret = "a mail confirms a further device key, and its flow proved no secret"

    private var proofs: [UUID: Proof] = [:]
    /// The number of proofs at which those that are too old are forgotten.
    private var limit = 1_024
    private var ended: Set<UUID> = []
    private var confirmed: Set<UUID> = []
    /// The accounts that have had a device key in force.
    private var keyed: Set<UUID> = []

    /// Takes the authorization of a device key.
    mutating func authorize(_ employee: UUID) { keyed.insert(employee) }

    /// Takes the proof of a flow. The first one counts, and whether one of them is that of a secret.
    mutating func prove(
        _ flow: UUID, by employee: UUID, with key: KeyFingerprint, ofSecret: Bool, at time: Timestamp
    ) {
        guard proofs[flow] == nil else {
            if ofSecret { proofs[flow]?.isOfSecret = true }
            return
        }
        proofs[flow] = Proof(employee: employee, key: key, time: time, isOfSecret: ofSecret)
        guard proofs.count > limit else { return }
        proofs = proofs.filter { isYoung($0.value.time, at: time) }
        limit = max(1_024, proofs.count * 2)
    }

    /// Takes the end of a wait, and returns what is wrong with it or `nil`.
    mutating func end(_ payload: WaitEnded, at time: Timestamp) -> String? {
        guard ended.insert(payload.flow.uuid).inserted else { return Self.repeated }
        let key = KeyFingerprint(of: payload.key)
        return isProved(payload.flow.uuid, payload.employeeID.uuid, key, at: time) ? nil : Self.unproved
    }

    /// Takes the confirmation of a device, and returns what is wrong with it or `nil`.
    mutating func confirm(_ payload: DeviceMailConfirmed, at time: Timestamp) -> String? {
        guard confirmed.insert(payload.flow.uuid).inserted else { return Self.confirmedAgain }
        guard isProved(payload.flow.uuid, payload.employeeID.uuid, payload.fingerprint, at: time) else {
            return Self.unprovedMail
        }
        let isOfSecret = proofs[payload.flow.uuid]?.isOfSecret ?? false
        return isOfSecret || !keyed.contains(payload.employeeID.uuid) ? nil : Self.chosenSecret
    }

    private func isProved(_ flow: UUID, _ employee: UUID, _ key: KeyFingerprint, at time: Timestamp) -> Bool {
        guard let proof = proofs[flow] else { return false }
        return proof.employee == employee && proof.key == key && isYoung(proof.time, at: time)
    }

    private func isYoung(_ proved: Timestamp, at time: Timestamp) -> Bool {
        time <= proved.adding(.seconds(1_800))
    }
}
