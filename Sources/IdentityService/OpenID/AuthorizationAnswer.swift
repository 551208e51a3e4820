import Canonical
package import FoundationEssentials
import Identity

/// What a browser gets at the authorization endpoint.
package enum AuthorizationAnswer: Sendable, Equatable, RedactedDescription {
    /// A page says what is wrong; nobody is sent anywhere.
    case fault(Fault)
    /// The browser goes to the client.
    case redirect(ClientAnswer)
    /// A page asks something about the stored request of this handle, and continues it then.
    case ask(Page, handle: String, client: UUID)

    /// What such a page says.
    package enum Fault: String, Sendable, Hashable, CaseIterable {
        /// There is no such client, or it is named twice.
        case unknownClient
        /// The redirect URI is missing, given twice or not one that the operator registered.
        case unknownRedirect
        /// The request is larger than the service keeps.
        case tooLarge
        /// The stored request is not known any more: it has expired or was answered.
        case expired
    }

    /// The pages of an authorization.
    package enum Page: String, Sendable, Hashable, CaseIterable {
        case logIn = "/login"
        /// Log in by an address. A stored request that waits for it waits for ``logIn``.
        case logInByAddress = "/login/address"
        /// Choose an account, or log in to another.
        case chooseAccount = "/accounts"
        case consent = "/consent"
        /// Confirm the address that the client asks for, or go on without.
        case address = "/address"
    }
}

/// What the pages of an authorization show and use of the stored request.
package struct AwaitedAuthorization: Sendable, Equatable {
    package let page: AuthorizationAnswer.Page
    /// The client's id.
    package let client: UUID
    /// The client's name, as the operator gave it.
    package let clientName: String
    /// The scopes that are requested.
    package let scopes: [String]
    /// What the client knows about the person; `nil` for nothing. It is a stranger's text.
    package let loginHint: String?
    /// The name of the tenant that the request is about; `nil` if it names none. It is a stranger's text.
    package let tenant: String?
    /// Tags of the languages that the person prefers, best first.
    package let locales: [String]
    /// Why the account that is logged in may not be chosen; `nil` if it may.
    package var unsuitable: Unsuitability?
    /// Whether ``loginHint`` is an address, and no id.
    package var hintIsAddress = false
    /// Whether any program of the person's machine may have sent the request.
    package var isUnassured = false
    /// The name of the only tenant whose people the client takes; `nil` for a client of several, and for consent.
    package var onlyTenant: String?

    /// Why an account is none for the client. The person of the account may know each.
    package enum Unsuitability: String, Sendable, Hashable, CaseIterable {
        /// The client asked for another person.
        case otherPerson
        /// The client asked for people of another tenant.
        case otherCompany
        /// The client takes no people of the tenant.
        case companyNotTaken
        /// The tenant has not linked the client.
        case companyNotLinked
        /// The tenant's link lets nobody log in.
        case linkWithoutAccess

        /// `nil` for the cause of another refusal.
        init?(_ cause: OpenIDCause) { self.init(rawValue: "\(cause)") }
    }
}

extension AuthorizationAnswer.Fault {
    /// The fault that a reading found.
    init(_ page: AuthorizationFault.Page) {
        switch page {
        case .unknownClient: self = .unknownClient
        case .unknownRedirect: self = .unknownRedirect
        case .tooLarge: self = .tooLarge
        }
    }
}
