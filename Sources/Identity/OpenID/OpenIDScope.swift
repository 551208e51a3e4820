import Canonical

/// A scope that the OpenID provider knows (OpenID Connect Core, sections 5.4 and 11). Unknown ones are ignored.
package enum OpenIDScope: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Who the person is: an ID token. Every request has it.
    case openid
    /// The names of the account and of its tenant.
    case profile
    /// The address, if it is verified.
    case email
    /// The role in the tenant.
    case groups
    /// A grant that outlives the session.
    case offlineAccess = "offline_access"

    /// The known scopes of a list that is separated by spaces.
    package static func known(in text: String) -> Set<OpenIDScope> {
        Set(text.split(separator: " ").compactMap { OpenIDScope(rawValue: String($0)) })
    }
}

extension Set<OpenIDScope> {
    /// The names, in the order of ``OpenIDScope``.
    package var names: [String] { OpenIDScope.allCases.filter(contains).map(\.rawValue) }

    /// The names, separated by spaces.
    package var text: String { names.joined(separator: " ") }
}
