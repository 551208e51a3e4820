import ErrorCodes
import IdentityService
import TenureAPI

/// A page at which a flow ends without success. It says what happened, what to do next, and begins again.
enum FlowDeadEnd: Sendable, CaseIterable {
    /// The flow is over, or not at the step of the form.
    case expired
    /// The signature is not one of the device key.
    case keyInvalid
    /// Only the blind mode is accepted, which browsers do not have.
    case blindOnly
    /// The account is cancelled.
    case inactive
    /// No admin has approved the account.
    case notApproved
    /// The company asks for a passkey, and the key of the browser is none.
    case passkeyNeeded
    /// The holder of the address has no account that may be used here.
    case noAccount
    /// The device key was refused or revoked.
    case keyEnded
    /// The person may not do this, or too many keys are pending.
    case denied
    /// The id belongs to somebody.
    case registered
    /// Somebody founded the tenant meanwhile.
    case founded
    /// The tenant has ended the link of the pages' app.
    case notLinked
    /// The invitation is not valid any more.
    case codeInvalid
    /// The tenant wants an invitation now.
    case uninvited
    /// The person has accounts in other tenants, so this one cannot replace the credentials alone.
    case otherCompanies
    /// The waiting time of a recovery is not over.
    case recoveryWaits
    /// The waiting time of a return is not over.
    case returnWaits
    /// No return is open to the account.
    case returnDenied
    case returnOpen
    /// A change of credentials is over, or another one came first.
    case changeOver
    /// The device may not replace the credentials of all accounts of the person.
    case changeDenied

    /// The ending for a refusal; `nil` for a refusal that ends no flow.
    init?(_ error: ServiceError) {
        switch error.code {
        case .flowExpired, .flowAlreadyUsed, .flowWrongStep, .requestStale, .sessionInvalid, .sessionExpired,
            .idempotencyConflict:
            self = .expired
        case .employeeKeyInvalid: self = .keyInvalid
        case .policyBlindOnly: self = .blindOnly
        case .employeeInactive: self = .inactive
        case .employeeNotApproved: self = .notApproved
        case .employeePasskeyRequired: self = .passkeyNeeded
        case .passkeyStopped: self = .denied
        case .authorizationNotPermitted: self = error.isAboutEndedKey ? .keyEnded : .denied
        case .employeeAlreadyRegistered: self = .registered
        case .companyAlreadyFounded: self = .founded
        case .appNotLinked: self = .notLinked
        case .invitationInvalid: self = .codeInvalid
        case .registrationInvitationRequired: self = .uninvited
        case .recoveryOtherCompanies: self = .otherCompanies
        case .recoveryNotAvailable: self = .recoveryWaits
        case .returnNotAvailable: self = .returnWaits
        case .returnNotPermitted: self = .returnDenied
        case .returnInProgress: self = .returnOpen
        default: return nil
        }
    }

    /// The ending for a refusal in a flow of a kind; `nil` for a refusal that ends no flow.
    init?(_ error: ServiceError, of purpose: FlowKind) {
        self.init(error)
        switch (purpose, self) {
        case (.address, .notLinked): self = .noAccount
        case (.change, .expired): self = .changeOver
        case (.change, .denied): self = .changeDenied
        default: break
        }
    }

    private var words: (title: PageWord, text: PageWord, next: PageWord?) {
        switch self {
        case .expired: ("ending.expiredTitle", "ending.expired", nil)
        case .keyInvalid: ("ending.keyInvalidTitle", "ending.keyInvalid", nil)
        case .blindOnly: ("ending.blindOnlyTitle", "ending.blindOnly", "ending.blindOnlyNext")
        case .inactive: ("ending.inactiveTitle", "ending.inactive", "ending.inactiveNext")
        case .notApproved: ("ending.notApprovedTitle", "ending.notApproved", "ending.notApprovedNext")
        case .passkeyNeeded: ("ending.passkeyNeededTitle", "ending.passkeyNeeded", "ending.passkeyNeededNext")
        case .noAccount: ("ending.noAccountTitle", "ending.noAccount", "ending.noAccountNext")
        case .keyEnded: ("ending.keyEndedTitle", "ending.keyEnded", "ending.keyEndedNext")
        case .denied: ("ending.deniedTitle", "ending.denied", "ending.deniedNext")
        case .registered: ("ending.registeredTitle", "ending.registered", "ending.registeredNext")
        case .founded: ("ending.foundedTitle", "ending.founded", "ending.foundedNext")
        case .notLinked: ("ending.deniedTitle", "register.notLinked", nil)
        case .codeInvalid: ("ending.deniedTitle", "register.codeWrong", nil)
        case .uninvited: ("ending.deniedTitle", "register.companyUnknown", nil)
        case .otherCompanies: ("ending.otherCompaniesTitle", "ending.otherCompanies", "ending.otherCompaniesNext")
        case .recoveryWaits: ("recover.waitTitle", "recover.notYet", "recover.notYetNext")
        case .returnWaits: ("return.waitTitle", "return.notYet", "return.notYetNext")
        case .returnDenied: ("return.deniedTitle", "return.denied", "return.deniedNext")
        case .returnOpen: ("return.openTitle", "return.open", "return.openNext")
        case .changeOver: ("change.overTitle", "change.over", nil)
        case .changeDenied: ("change.deniedTitle", "change.denied", "change.deniedNext")
        }
    }

    /// The page in a language.
    ///
    /// - Parameters:
    ///   - path: Where the person begins again.
    ///   - status: The HTTP status of the refusal.
    ///   - time: When the person may come back, if the refusal says it.
    func page(
        in language: PageLanguage, again path: String, status: Int, requestId: String, time: String = "?"
    ) -> HostedPage {
        let content = EndingContent(
            text: language.text(words.text, time), next: words.next.map { language.text($0) },
            renew: self == .keyEnded ? language.text("ending.renew") : nil, againPath: path,
            again: language.text("ending.again"), requestId: requestId)
        return HostedPage(content, words.title, in: language, status: status)
    }
}

/// The end of something that went wrong, with a way to begin again.
struct EndingContent: PageContent {
    static let template: PageTemplate = "ending"
    let text: String
    var next: String?
    /// The button that makes another key of this browser; `nil` where the key is not what ended.
    var renew: String?
    let againPath: String
    let again: String
    let requestId: String
}
