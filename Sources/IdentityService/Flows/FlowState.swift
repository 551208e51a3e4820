import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials
import Identity
import TenureAPI

/// The state of a flow in progress: everything the next step needs, encrypted in one short-lived row.
///
/// It is not an event. It claims nothing, and an abandoned flow leaves nothing behind.
struct FlowState: FlatObject, Equatable {
    /// The input that the flow waits for.
    enum Step: String, CaseIterable, MemberValue {
        /// The device's signature.
        case key
        /// New credentials.
        case credentials
        case answers
        /// The passphrase, or answers if the user allows both.
        case passphrase
        /// The device's signature over the challenge of the account that the person picks.
        case account
        /// No further input: the flow had its one terminal outcome.
        case done
    }

    /// A challenge and the device's signature over it.
    struct ProvedKey: FlatObject, MemberValue, Equatable {
        var challenge: [UInt8]
        var signature: [UInt8]

        /// The end of the challenge's time.
        var expires: Timestamp? { try? Challenge(kept: challenge).fields.expires }

        static let members = MemberTable<ProvedKey, Void>(
            "ProvedKey", ProvedKey.init,
            Member("challenge", \.challenge, .anyBytes), Member("signature", \.signature, .anyBytes))
    }

    /// One charged attempt of this flow: the stream `attempt/<id>` and its version.
    struct Charge: FlatObject, MemberValue, Equatable {
        var id: UUID
        var version: Int
        /// Whether a known device's budget was charged: a device can become known or unknown while its flow goes on.
        var wasKnownDevice: Bool

        static let members = MemberTable<Charge, Void>(
            "Charge", Charge.init,
            Member("id", \.id), Member("version", \.version, .number()), Member("wasKnownDevice", \.wasKnownDevice))
    }

    /// What a flow is for, with what only such a flow has.
    enum Purpose: Sendable, Equatable {
        case registration(Registration)
        case login(Account)
        /// A log-in by an address; with the accounts to pick from, once the secret was proved.
        case address(Account, AddressLogin)
        /// A change of credentials; with the proof of the old secret, once it was given in blind mode.
        case change(Account, PendingChange? = nil)
        /// A recovery; with the approvals, once two people have given them for the flow's device key.
        case recovery(Account, ApprovedRecovery? = nil)
        case returning(Account)
    }

    /// The person who registers.
    struct Registration: FlatObject, MemberValue, Equatable {
        /// The address as entered; empty after the flow.
        var email: String
        var isCompanyOwnedEmail: Bool
        /// A new id, which challenges name, so that the start does not reveal whether the e-mail belongs to a user. A
        /// new user's credential gets that id.
        var namedCredentialId: UUID
        /// Whether the address belongs to a user.
        var userExists = false
        /// The invitation with which the registration was started.
        var invitation: UUID?
        /// Whether the registration is to join a tenant or to found one.
        var intent: RegistrationRequest.Intent?
        /// Whether the code of a mail to the address was presented, by the browser that presented it first.
        var confirmsAddress = false
        /// The claim on the address, if the person says that the questions are not theirs.
        var claim: AddressClaim?

        static let members = MemberTable<Registration, Void>(
            "Registration", Registration.init,
            Member("email", \.email), Member("isCompanyOwnedEmail", \.isCompanyOwnedEmail),
            Member("namedCredentialId", \.namedCredentialId), Member("userExists", \.userExists),
            Member(optional: "invitation", \.invitation), Member(optional: "intent", \.intent),
            Member("confirmsAddress", \.confirmsAddress), Member(optional: "claim", \.claim))
    }

    /// The account that somebody named, whether or not it exists.
    struct Account: FlatObject, MemberValue, Equatable {
        /// Whether the flow runs on a decoy.
        var isDecoy: Bool
        /// The public keys of this name's decoy, whether or not the employee exists.
        var decoyKeys: [UInt8]?
        /// The colleague whose streams a step reads for a decoy.
        var standIn: StandIn?
        /// Whether the tenant was hidden from the app when the flow began.
        var isHidden = false

        static let members = MemberTable<Account, Void>(
            "Account", Account.init,
            Member("isDecoy", \.isDecoy), Member(optional: "decoyKeys", \.decoyKeys, .anyBytes),
            Member(optional: "standIn", \.standIn), Member("isHidden", \.isHidden))
    }

    /// The making of new credentials.
    struct SetUp: FlatObject, MemberValue, Equatable {
        /// The seed of their VOPRF keys, 32 bytes. A commit keeps it; otherwise it ends with this row.
        var seed: [UInt8]
        var evaluations = 0

        static let members = MemberTable<SetUp, Void>(
            "SetUp", SetUp.init,
            Member("seed", \.seed, .anyBytes), Member("evaluations", \.evaluations, .number()))
    }

    var id: UUID
    var purpose: Purpose
    var step: Step
    var appId: UUID
    var tenantId: UUID
    var companyName: String
    var companyEmployeeId: String
    var employeePublicKey: [UInt8]
    /// The employee who logs in, or the id reserved for the one to be registered.
    var employeeId: UUID
    /// The challenged user, or the id reserved for the new one.
    var userId: UUID
    /// The challenged credential, or the id reserved for the new one.
    var credentialId: UUID
    /// Whether questions may be answered instead of the passphrase.
    var questionsAllowed = false
    var challenge: [UInt8] = []
    var subjectSalt = randomBytes(32)
    var proved: ProvedKey?
    var charges: [Charge] = []
    var expiresAt: Timestamp
    /// What stands for the network of the caller who started the flow; `nil` if the app is counted as a whole.
    var network: [UInt8]?
    /// The secret half of the handle. The service stores it only inside the encrypted row.
    var secret = randomBytes(secretLength)
    /// The new credentials that the flow waits for.
    var setUp: SetUp?
    /// The blind attempt that was charged and has no proof yet.
    var attempt: BlindAttempt?
    /// The passkey that the device key is, whose evidence is held against these facts; `nil` for another key.
    var passkey: PasskeyFacts?
    /// The challenge that names a new passkey, if the person registers with one.
    var newKeyChallenge: [UInt8]?

    /// The row's plaintext, which is encrypted under the flows key before it is stored.
    static let members = MemberTable<FlowState, Void>(
        "FlowState", FlowState.init,
        Member("id", \.id), Member("purpose", \.purpose), Member("step", \.step), Member("appId", \.appId),
        Member("tenantId", \.tenantId), Member("companyName", \.companyName),
        Member("companyEmployeeId", \.companyEmployeeId), Member("key", \.employeePublicKey, .anyBytes),
        Member("employeeId", \.employeeId), Member("userId", \.userId), Member("credentialId", \.credentialId),
        Member("questionsAllowed", \.questionsAllowed), Member("challenge", \.challenge, .anyBytes),
        Member("salt", \.subjectSalt, .anyBytes), Member(optional: "proved", \.proved),
        Member("charges", \.charges, .list()), Member("expires", \.expiresAt),
        Member(optional: "network", \.network, .anyBytes), Member("secret", \.secret, .anyBytes),
        Member(optional: "setUp", \.setUp), Member(optional: "attempt", \.attempt),
        Member(optional: "passkey", \.passkey), Member(optional: "newKeyChallenge", \.newKeyChallenge, .anyBytes))
}

extension FlowState.Purpose {
    var kind: FlowKind {
        switch self {
        case .registration: .registration
        case .login: .login
        case .address: .address
        case .change: .change
        case .recovery: .recovery
        case .returning: .returning
        }
    }

    /// The purpose of a flow about an account that is named; `nil` for any other.
    init?(_ kind: FlowKind, about account: FlowState.Account) {
        switch kind {
        case .registration, .address: return nil
        case .login: self = .login(account)
        case .change: self = .change(account)
        case .recovery: self = .recovery(account)
        case .returning: self = .returning(account)
        }
    }

    /// Without personal data and secrets.
    fileprivate var finished: Self {
        switch self {
        case .registration(var person):
            person.email = ""
            return .registration(person)
        case .login(let account): return .login(account.finished)
        case .address(let account, _): return .address(account.finished, AddressLogin(address: ""))
        case .change(let account, _): return .change(account.finished)
        case .recovery(let account, _): return .recovery(account.finished)
        case .returning(let account): return .returning(account.finished)
        }
    }
}

extension FlowState.Account {
    fileprivate var finished: Self { Self(isDecoy: isDecoy, isHidden: isHidden) }
}

extension FlowState {
    /// The person who registers; `nil` in every other flow.
    var registration: Registration? { if case .registration(let person) = purpose { person } else { nil } }

    /// The account that somebody named; `nil` in a registration.
    var account: Account? {
        switch purpose {
        case .registration: nil
        case .login(let account), .address(let account, _), .change(let account, _), .recovery(let account, _),
            .returning(let account):
            account
        }
    }

    /// The address of a log-in by one, and what is known of its accounts; `nil` in every other flow.
    var address: AddressLogin? { if case .address(_, let login) = purpose { login } else { nil } }

    /// Whether the flow runs on a decoy.
    var isDecoy: Bool { account?.isDecoy ?? false }

    /// The credential that challenges name.
    var namedCredentialId: UUID { registration?.namedCredentialId ?? credentialId }

    /// The person who registers.
    ///
    /// - Throws: `flow.wrong_step` for another flow.
    func registering() throws(ServiceError) -> Registration {
        guard let registration else { throw ServiceError(.flowWrongStep) }
        return registration
    }

    /// The state that remains of a flow after its outcome, without personal data.
    var finished: FlowState {
        var state = self
        state.purpose = purpose.finished
        state.step = .done
        state.companyName = ""
        state.companyEmployeeId = ""
        state.challenge = []
        state.subjectSalt = []
        state.proved = nil
        state.setUp = nil
        state.attempt = nil
        state.passkey = nil
        state.newKeyChallenge = nil
        return state
    }
}

extension FlowState {
    /// The length of ``secret`` in bytes.
    static let secretLength = 16
    /// The time in which the device must sign: two minutes (credentials.md section 4).
    static let challengeLifetime: Duration = .seconds(120)
}

extension FlowState.Purpose: MemberValue {
    /// A purpose as the row has it: the kind, and what only such a flow has.
    private struct Form: FlatObject, Equatable {
        var kind: FlowKind
        var registration: FlowState.Registration?
        var account: FlowState.Account?
        var address: AddressLogin?
        var change: PendingChange?
        var recovery: ApprovedRecovery?

        static let members = MemberTable<Form, Void>(
            "Purpose", Form.init,
            Member("kind", \.kind), Member(optional: "registration", \.registration),
            Member(optional: "account", \.account), Member(optional: "address", \.address),
            Member(optional: "change", \.change), Member(optional: "recovery", \.recovery))
    }

    private var form: Form {
        var form = Form(kind: kind)
        switch self {
        case .registration(let person): form.registration = person
        case .address(let account, let login): (form.account, form.address) = (account, login)
        case .change(let account, let pending): (form.account, form.change) = (account, pending)
        case .recovery(let account, let approved): (form.account, form.recovery) = (account, approved)
        case .login(let account), .returning(let account): form.account = account
        }
        return form
    }

    private init?(_ form: Form) {
        switch (form.kind, form.account, form.registration, form.address) {
        case (.registration, _, let person?, _): self = .registration(person)
        case (.address, let account?, _, let login?): self = .address(account, login)
        case (.login, let account?, _, _): self = .login(account)
        case (.change, let account?, _, _): self = .change(account, form.change)
        case (.recovery, let account?, _, _): self = .recovery(account, form.recovery)
        case (.returning, let account?, _, _): self = .returning(account)
        default: return nil
        }
        // A member of another purpose is refused.
        guard self.form == form else { return nil }
    }

    static let memberKind = MemberKind<Self>(.object(name: "Purpose")) { (json, place) throws(JSONError) in
        guard let purpose = Self(try Form.members.read(json, at: place.pointer)) else {
            throw place.invalid("the members of one purpose are expected")
        }
        return purpose
    } write: { (purpose, place) throws(JSONError) in
        try Form.members.write(purpose.form, at: place.pointer)
    }
}

/// A change of credentials in blind mode, between the proof of the old secret and the new record.
struct PendingChange: FlatObject, MemberValue, Equatable {
    /// The id of the new credential.
    var credentialId = UUID()
    /// The kind of secret that was proved.
    var kind: FlowProof.Kind
    /// The old user key's signature over the flow's challenge, 64 bytes.
    var userSignature: [UInt8]

    static let members = MemberTable<PendingChange, Void>(
        "PendingChange", PendingChange.init,
        Member("credentialId", \.credentialId), Member("kind", \.kind),
        Member("signature", \.userSignature, .anyBytes))
}

/// An approved recovery, between the device's proof and the new credentials.
struct ApprovedRecovery: FlatObject, MemberValue, Equatable {
    /// The id of the new credential.
    var credentialId = UUID()
    /// The hash of the event that opened the recovery, 32 bytes.
    var opened: [UInt8]
    /// The hash of the event that confirmed it, 32 bytes; zeros if a single admin's decision suffices.
    var confirmed: [UInt8]

    /// The value in place of a confirmation that is not needed.
    static let noConfirmation = [UInt8](repeating: 0, count: 32)

    static let members = MemberTable<ApprovedRecovery, Void>(
        "ApprovedRecovery", ApprovedRecovery.init,
        Member("credentialId", \.credentialId), Member("opened", \.opened, .bytes(32...32)),
        Member("confirmed", \.confirmed, .bytes(32...32)))

    /// The authority for the new record.
    var authority: SetUpAuthority { .recovered(firstApproval: opened, secondApproval: confirmed) }
}
