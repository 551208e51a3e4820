public import Canonical

/// The body of `POST /v1/registrations`.
public struct RegistrationRequest: Sendable, Equatable, RequestObject {
    /// What the person means to do.
    public enum Intent: String, CaseIterable, MemberValue {
        /// Join a tenant; one that does not exist is refused.
        case join
        /// Found a tenant; one that exists is refused.
        case found
    }

    /// The tenant's name.
    public var companyName: String
    /// The employee's id in that tenant.
    public var companyEmployeeId: String
    /// The user's e-mail address.
    public var email: String
    /// Whether the e-mail address is claimed to be the tenant's; `false` if absent.
    public var isCompanyOwnedEmail: Bool
    /// The device's public key, 65-byte X9.63; padded base64 on the wire.
    public var employeePublicKey: [UInt8]
    /// The invitation code. Required if the tenant admits only invited people.
    public var invitation: String?
    /// Whether the person means to join a tenant or to found one. If absent, the first registration founds it.
    public var intent: Intent?

    /// Describes a registration.
    public init(
        companyName: String, companyEmployeeId: String, email: String, isCompanyOwnedEmail: Bool = false,
        employeePublicKey: [UInt8], invitation: String? = nil, intent: Intent? = nil
    ) {
        self.invitation = invitation
        self.intent = intent
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.employeePublicKey = employeePublicKey
    }

    /// The members on the wire.
    public static let members = WireMembers<RegistrationRequest>(
        "RegistrationRequest", RegistrationRequest.init, Member("companyName", \.companyName),
        Member("companyEmployeeId", \.companyEmployeeId), Member("email", \.email),
        Member("isCompanyOwnedEmail", \.isCompanyOwnedEmail, .flag, absent: false),
        Member("employeePublicKey", \.employeePublicKey, .base64), Member(optional: "invitation", \.invitation),
        Member(optional: "intent", \.intent, .either))
}
