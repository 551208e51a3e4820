package import Canonical
package import ErrorCodes

/// A code that verifies one M-Pin identity of a user id, for people without a mailbox.
///
/// An app or an admin hands it over. A start of a registration enters it.
package enum MPinActivation: Decider {
    package typealias Event = MPinActivationEvent

    /// The state before the code is issued.
    package static let initial = State()

    package static let lifetime: Duration = .seconds(86_400)
    /// The number of wrong codes that ends an activation.
    package static let maximumFailures = 5

    package enum Rejection: CodedRejection, CaseIterable {
        /// The code was never issued, has expired, was used, or ended by wrong entries. All have one code, which a
        /// wrong entry is answered with too.
        case invalid
        /// The code was issued already.
        case issued
        case notPermitted

        package var code: ErrorCode {
            switch self {
            case .invalid, .notPermitted: .authorizationNotPermitted
            case .issued: .requestInvalid
            }
        }
    }

    package enum Command: Sendable, Equatable {
        case issue(Issue)
        /// Enter a code for the identity whose registration starts in the same append.
        case enter(isRight: Bool, for: MPinIdentityID, at: Timestamp)
    }

    /// The command that issues a code.
    package struct Issue: Sendable, Equatable {
        /// The new activation's random id.
        package var id: MPinActivationID
        /// The keyed digest that an entered code is compared with.
        package var digest: Bytes32
        /// The commitment that the statement names.
        package var subject: Bytes32
        /// The salt of the commitment.
        package var subjectSalt: Bytes32
        package var userID: MPinUserID
        package var decision: AuthorityDecision
        package var time: Timestamp

        package init(
            id: MPinActivationID, digest: Bytes32, subject: Bytes32, subjectSalt: Bytes32, userID: MPinUserID,
            decision: AuthorityDecision, time: Timestamp
        ) {
            self.id = id
            self.digest = digest
            self.subject = subject
            self.subjectSalt = subjectSalt
            self.userID = userID
            self.decision = decision
            self.time = time
        }
    }

    /// The state of an activation, folded from its events.
    package struct State: Sendable, Equatable {
        /// The code as issued; `nil` before.
        package internal(set) var issue: MPinActivationIssued?
        /// The number of wrong codes.
        package internal(set) var failures = 0
        package internal(set) var usedBy: MPinIdentityID?

        /// Whether the code may be entered at a time.
        package func isOpen(at time: Timestamp) -> Bool {
            guard let issue, usedBy == nil, failures < maximumFailures else { return false }
            return time < issue.expiresAt
        }
    }

    /// Decides a command: returns its events. Throws ``Rejection``.
    ///
    /// A wrong entry is an event, and the service refuses the start that it came with.
    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [MPinActivationEvent] {
        switch command {
        case .issue(let issue): return try decide(state, issue)
        case .enter(let isRight, let identity, let time):
            guard let issue = state.issue, state.isOpen(at: time) else { throw .invalid }
            guard isRight else {
                return [
                    .failed(
                        MPinActivationFailed(
                            activationID: issue.activationID, failures: state.failures + 1, limit: maximumFailures))
                ]
            }
            return [.used(MPinActivationUsed(activationID: issue.activationID, identityID: identity))]
        }
    }

    private static func decide(_ state: State, _ issue: Issue) throws(Rejection) -> [MPinActivationEvent] {
        guard AuthorityTable.permits(.verifyMPin, about: .newcomer, by: issue.decision) else { throw .notPermitted }
        guard state.issue == nil else { throw .issued }
        func personal(_ text: String) -> Personal { Personal(owner: issue.id.uuid, text: text) }
        return [
            .issued(
                MPinActivationIssued(
                    activationID: issue.id, digest: issue.digest, subject: issue.subject,
                    userID: personal(issue.userID.entered),
                    subjectSalt: personal(Base64URL.encode(issue.subjectSalt.bytes)),
                    expiresAt: issue.time.adding(lifetime), by: issue.decision.authority))
        ]
    }

    /// Applies an event to the state. A code is issued once and used once.
    package static func evolve(_ state: inout State, _ recorded: Recorded<MPinActivationEvent>) {
        switch recorded.event {
        case .issued(let event): if state.issue == nil { state.issue = event }
        case .failed: state.failures += 1
        case .used(let event): if state.usedBy == nil { state.usedBy = event.identityID }
        }
    }
}
