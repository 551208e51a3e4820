package import Canonical

extension Employee {
    /// The command that logs in with a passkey.
    package struct UsePasskey: Sendable, Equatable {
        /// The passkey.
        package var key: PublicKeyBytes
        /// The flow of the challenge.
        package var flow: FlowID
        /// The challenge: the exact bytes that were signed.
        package var challenge: [UInt8]
        /// What the passkey signed over the challenge. It was verified.
        package var evidence: SignatureBytes
        /// The time of the log-in.
        package var time: Timestamp

        package init(
            key: PublicKeyBytes, flow: FlowID, challenge: [UInt8], evidence: SignatureBytes, time: Timestamp
        ) {
            self.key = key
            self.flow = flow
            self.challenge = challenge
            self.evidence = evidence
            self.time = time
        }
    }

    /// Logs in with an authorized passkey, and notes what its authenticator says of backup and counter. A counter
    /// refuses nothing.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ use: UsePasskey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard account.status == .active else { throw .inactive }
        guard let key = state.keys[use.key], key.status == .authorized, let passkey = key.passkey,
            let counter = use.evidence.counter, let isBackedUp = use.evidence.isBackedUp
        else { throw .unknownKey }
        guard !key.counters.has(use.flow) else { throw .challengeUsed }
        var events = [
            EmployeeEvent.passkeyValidated(
                PasskeyValidated(
                    employeeID: account.id, fingerprint: key.fingerprint, flow: use.flow, challenge: use.challenge,
                    evidence: use.evidence))
        ]
        if isBackedUp != passkey.backedUp {
            events.append(
                .passkeyBackupChanged(
                    PasskeyBackupChanged(
                        employeeID: account.id, fingerprint: key.fingerprint, backedUp: isBackedUp)))
        }
        if let previous = key.counters.repeated(by: counter, at: use.time) {
            events.append(
                .passkeyCounterRepeated(
                    PasskeyCounterRepeated(
                        employeeID: account.id, fingerprint: key.fingerprint, counter: counter, previous: previous)))
        }
        return events
    }

    /// Checks that a presented passkey fits the account. An authenticator keeps one passkey for each handle of a site.
    ///
    /// - Throws: ``Rejection/passkeyDiffers``.
    static func check(_ state: State, _ present: PresentKey) throws(Rejection) {
        let known = state.keys[present.key]
        guard let passkey = present.passkey else {
            // The key of a passkey has no other kind.
            if known?.passkey != nil || !present.key.isPoint { throw .passkeyDiffers }
            return
        }
        if let known, known.passkey?.credentialID != passkey.credentialID { throw .passkeyDiffers }
        let others = state.keys.values.filter { $0.key != present.key }
        guard state.passkeyHandle.map({ $0 == passkey.userHandle }) ?? true,
            !others.contains(where: { $0.passkey?.credentialID == passkey.credentialID })
        else { throw .passkeyDiffers }
    }

    static func evolve(_ state: inout State, _ event: PasskeyValidated, at time: Timestamp) {
        guard let key = state.key(event.fingerprint)?.key, let counter = event.evidence.counter else { return }
        state.keys[key]?.counters.add(counter, event.flow, at: time)
    }
}

/// The counters of a passkey's log-ins.
///
/// Two log-ins that overtake each other count in another order than they are appended. So a counter is compared only
/// with what is older than two minutes, which is longer than a challenge may be answered.
package struct PasskeyCounters: Sendable, Hashable {
    private struct Use: Hashable {
        let counter: UInt32
        let flow: FlowID
        let time: Timestamp
    }

    /// How long log-ins may overtake each other.
    static let patience = Duration.seconds(120)

    /// The highest counter of the presentation and of older log-ins.
    private var settled: UInt32
    private var recent: [Use] = []

    /// The counter of the presentation.
    package init(_ counter: UInt32) { settled = counter }

    /// Whether a flow has a log-in among the last ones.
    func has(_ flow: FlowID) -> Bool { recent.contains { $0.flow == flow } }

    /// The highest counter older than two minutes, if another one is not above it; `nil` for authenticators that do not
    /// count.
    package func repeated(by counter: UInt32, at time: Timestamp) -> UInt32? {
        let previous = highest(before: time)
        return counter > previous || (counter == 0 && previous == 0) ? nil : previous
    }

    package mutating func add(_ counter: UInt32, _ flow: FlowID, at time: Timestamp) {
        settled = highest(before: time)
        recent.removeAll { Self.isSettled($0, at: time) }
        recent.append(Use(counter: counter, flow: flow, time: time))
    }

    private func highest(before time: Timestamp) -> UInt32 {
        recent.reduce(settled) { Self.isSettled($1, at: time) ? max($0, $1.counter) : $0 }
    }

    private static func isSettled(_ use: Use, at time: Timestamp) -> Bool { use.time.adding(patience) < time }
}
