package import Canonical

extension Employee {
    /// How long a counter of an earlier assertion may be overtaken without a note, in seconds.
    static let counterLeeway = 120

    /// The command that notes what an assertion says of its passkey.
    package struct NotePasskey: Sendable, Equatable {
        package var fingerprint: KeyFingerprint
        /// The assertion, which was verified.
        package var evidence: SignatureBytes
        package var time: Timestamp
        /// Whether the assertion stands in another stream, so that an event of the account has to count it.
        package var counts: Bool

        package init(fingerprint: KeyFingerprint, evidence: SignatureBytes, time: Timestamp, counts: Bool = false) {
            (self.fingerprint, self.evidence, self.time, self.counts) = (fingerprint, evidence, time, counts)
        }
    }

    /// A counter of an assertion and the time of its event.
    struct Counted: Sendable, Equatable {
        var counter: Int
        var time: Timestamp
    }

    /// What the events say of a passkey.
    package struct Passkey: Sendable, Equatable {
        /// What its presentation fixed.
        package let facts: PasskeyFacts
        /// Whether the authenticator said last that the key is copied.
        package internal(set) var isBackedUp: Bool
        /// How often a counter did not grow.
        package internal(set) var counterRepeats = 0
        /// Since when a counter did not grow and no admin has authorized the key anew; `nil` if neither.
        package internal(set) var copiedSince: Timestamp?
        /// The highest counter so far, and those of assertions since that may have been overtaken.
        var counted: [Counted]

        init(_ facts: PasskeyFacts, at time: Timestamp) {
            self.facts = facts
            isBackedUp = facts.isBackedUp
            counted = [Counted(counter: facts.counter, time: time)]
        }

        /// The highest counter of assertions that were recorded more than two minutes before.
        package func counter(before time: Timestamp) -> Int {
            counted.filter { $0.time.adding(.seconds(Employee.counterLeeway)) < time }.map(\.counter).max() ?? 0
        }

        /// Whether the key opens no session: it may be a copy, and the tenant wants an admin to decide first.
        package func isStopped(by policy: TenantPolicy) -> Bool { policy.clonedKey == .stop && copiedSince != nil }

        mutating func count(_ counter: Int?, at time: Timestamp) {
            guard let counter else { return }
            let settled = Counted(
                counter: self.counter(before: time), time: counted.first?.time ?? time)
            counted = [settled] + counted.filter { $0.time.adding(.seconds(Employee.counterLeeway)) >= time }
            counted.append(Counted(counter: counter, time: time))
        }
    }

    /// Notes a changed backup, and a counter that did not grow or that no other event counts. None refuses the assertion.
    ///
    /// - Throws: ``Rejection/unknownKey`` if the fingerprint is no passkey of the account.
    static func decide(_ state: State, _ note: NotePasskey) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account, let passkey = state.key(note.fingerprint)?.passkey,
            let isBackedUp = note.evidence.isBackedUp, let counter = note.evidence.passkeyCounter
        else { throw .unknownKey }
        var events: [EmployeeEvent] = []
        if isBackedUp != passkey.isBackedUp {
            events.append(
                .passkeyBackupChanged(
                    PasskeyBackupChanged(
                        employeeID: account.id, fingerprint: note.fingerprint, backedUp: isBackedUp)))
        }
        let previous = passkey.counter(before: note.time)
        if previous > 0, counter <= previous {
            events.append(
                .passkeyCounterRepeated(
                    PasskeyCounterRepeated(
                        employeeID: account.id, fingerprint: note.fingerprint, counter: counter, previous: previous)))
        } else if note.counts, counter > 0 {
            events.append(
                .passkeyCounted(
                    PasskeyCounted(employeeID: account.id, fingerprint: note.fingerprint, counter: counter)))
        }
        return events
    }

    /// Checks a passkey that is presented against those of the account.
    ///
    /// - Throws: ``Rejection/passkeyDiffers`` if the key was presented as something else, if another key of the account
    ///   has the credential id, or if the handle is not the account's.
    package static func check(_ passkey: PasskeyFacts?, of key: PublicKeyBytes, in state: State) throws(Rejection) {
        if let known = state.keys[key] {
            guard known.passkey?.facts.rpID == passkey?.rpID,
                known.passkey?.facts.credentialID == passkey?.credentialID,
                known.passkey?.facts.isBackupEligible == passkey?.isBackupEligible
            else { throw .passkeyDiffers }
        }
        guard let passkey else {
            guard key.isPoint else { throw .passkeyDiffers }
            return
        }
        guard state.userHandle.map({ $0 == passkey.userHandle }) ?? true,
            !state.keys.values.contains(where: {
                $0.key != key && $0.passkey?.facts.credentialID == passkey.credentialID
            })
        else { throw .passkeyDiffers }
    }

    /// Applies an event about a passkey.
    static func evolvePasskey(_ state: inout State, _ fingerprint: KeyFingerprint, _ change: (inout Passkey) -> Void) {
        guard let key = state.key(fingerprint)?.key, var passkey = state.keys[key]?.passkey else { return }
        change(&passkey)
        state.keys[key]?.passkey = passkey
    }
}
