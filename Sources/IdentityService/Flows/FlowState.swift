import Canonical
import FoundationEssentials

/// A registration or login on its way: everything the next step needs, sealed in one short-lived row.
///
/// It is not an event: nothing in it is claimed, and a flow that is given up leaves nothing behind.
struct FlowState: Sendable, Equatable {
    /// What the flow waits for.
    enum Step: String, Sendable {
        /// The device's signature.
        case key
        /// New credentials.
        case credentials
        /// Answers.
        case answers
        /// The passphrase, or answers where the user allowed both.
        case passphrase
        /// Nothing more: the flow had its one terminal outcome.
        case done
    }

    /// A challenge with the device's signature over it.
    struct ProvedKey: Sendable, Equatable {
        var challenge: [UInt8]
        var signature: [UInt8]
    }

    /// One charged attempt of this flow: the stream `attempt/<id>` and its version.
    struct Charge: Sendable, Equatable {
        var id: UUID
        var version: Int
        /// Whose budget was charged: a device can become known, or stop being so, while its flow goes on.
        var wasKnownDevice: Bool
    }

    var id: UUID
    var purpose: FlowPurpose
    var step: Step
    var appId: UUID
    var tenantId: UUID
    var companyName: String
    var companyEmployeeId: String
    var email: String?
    var isCompanyOwnedEmail: Bool
    var employeePublicKey: [UInt8]
    /// The employee logging in, or the id kept for the one to be registered.
    var employeeId: UUID
    /// The user challenged, or the id kept for the new one.
    var userId: UUID
    /// The credential challenged, or the id kept for the new one.
    var credentialId: UUID
    /// The credential that challenges name. A registration names one that nobody has yet, so that its start tells
    /// nobody whether the e-mail belongs to a user; a new user's credential then has that very id.
    var namedCredentialId: UUID
    /// Whether there is nobody to be challenged; the flow goes on just the same.
    var isDecoy: Bool
    /// The public keys of the decoy of this name, whether or not there is somebody; nil in a registration.
    var decoyKeys: [UInt8]?
    /// Whose streams a step reads while there is nobody to be challenged.
    var standIn: StandIn?
    /// Whether the company was hidden from the app when the flow began.
    var isHidden = false
    /// Whether the user exists already.
    var userExists: Bool
    /// Whether questions may be answered beside a passphrase.
    var questionsAllowed: Bool
    var challenge: [UInt8]
    var subjectSalt: [UInt8]
    var proved: ProvedKey?
    var charges: [Charge]
    var expiresAt: Timestamp
    /// The part of the handle that the service keeps nowhere else than in the row it seals.
    var secret = randomBytes(secretLength)
    /// The seed of the VOPRF keys of new credentials, 32 bytes: a commit keeps it, and otherwise it ends with this row.
    var seed: [UInt8]?
    /// How often the elements of new credentials were evaluated.
    var setUpEvaluations = 0
    /// The attempt in blind mode that was charged and has not been proved.
    var attempt: BlindAttempt?
    /// A change whose old secret was proved in blind mode.
    var change: PendingChange?
    /// A recovery that two persons approved for the flow's key.
    var recovery: PendingRecovery?
}

extension FlowState {
    /// The length of ``secret`` in bytes.
    static let secretLength = 16
    /// A flow lives ten minutes.
    static let lifetime: Duration = .seconds(600)
    /// The device signs within two minutes (credentials.md section 4).
    static let challengeLifetime: Duration = .seconds(120)
}
