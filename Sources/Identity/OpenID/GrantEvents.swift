package import Canonical

/// A client got a grant: tokens that say who the person is.
package struct GrantOpened: EventPayload {
    package var grantID: GrantID
    /// The session in which the person authorized the client.
    package var sessionID: SessionID
    package var employeeID: EmployeeID
    package var clientID: AppID
    package var scopes: Set<OpenIDScope>
    /// When the grant ends at the latest. One without the scope `offline_access` ends with its session.
    package var expiresAt: Timestamp

    package static let members = EventMembers<GrantOpened>(
        "GrantOpened", GrantOpened.init,
        Member("grantId", \.grantID), Member("sessionId", \.sessionID), Member("employeeId", \.employeeID),
        Member("clientId", \.clientID), Member("scopes", \.scopes, .scopes), Member("expiresAt", \.expiresAt))

    package init(
        grantID: GrantID, sessionID: SessionID, employeeID: EmployeeID, clientID: AppID, scopes: Set<OpenIDScope>,
        expiresAt: Timestamp
    ) {
        self.grantID = grantID
        self.sessionID = sessionID
        self.employeeID = employeeID
        self.clientID = clientID
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// A grant of a client ended.
package struct GrantClosed: EventPayload {
    package var grantID: GrantID
    package var reason: GrantEnd

    package static let members = EventMembers<GrantClosed>(
        "GrantClosed", GrantClosed.init, Member("grantId", \.grantID), Member("reason", \.reason))

    package init(grantID: GrantID, reason: GrantEnd) {
        self.grantID = grantID
        self.reason = reason
    }
}

/// The reason why a grant ended by itself. One whose session, link, key or person ended has ended with that.
package enum GrantEnd: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// The authorization code was presented a second time.
    case codeReused
    /// A refresh token was used twice.
    case refreshReused
    case tokenRevoked
    /// The person withdrew the consent.
    case consentWithdrawn
    /// The person logged out at the client's request.
    case loggedOut
    /// The person ended the grant, or all sessions.
    case endedByOwner
}

extension MemberKind where Value == Set<OpenIDScope> {
    /// Names of scopes, in the order of ``OpenIDScope``, without repetition and at least one.
    static var scopes: MemberKind {
        let names = MemberKind<[OpenIDScope]>.array(of: OpenIDScope.memberKind) { _ in
            1...OpenIDScope.allCases.count
        }
        return MemberKind(names.description) { (json, place) throws(JSONError) in
            let list = try names.read(json, at: place)
            guard list == OpenIDScope.allCases.filter(list.contains) else {
                throw place.invalid("names of scopes in their order are expected")
            }
            return Set(list)
        } write: { (scopes, place) throws(JSONError) in
            try names.write(OpenIDScope.allCases.filter(scopes.contains), at: place)
        }
    }
}
