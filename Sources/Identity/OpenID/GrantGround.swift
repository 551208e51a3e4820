package import Canonical

/// What a session and its grants rest on: the folds of the streams that can end them.
///
/// This is the one place that says whether a session lives, whether it may open a grant and whether a grant goes on. The
/// pages, `/authorize`, refreshes, redemption, userinfo, introspection, the lists and `tenure verify` ask it. Events of
/// the tenant's ledger are compared by position, so nothing has to be deleted for a session or a grant to end, and a row
/// that somebody puts back revives none.
package struct GrantGround: Sendable {
    /// A session as its stream has it.
    package struct Session: Sendable, Equatable {
        package var employee: EmployeeID
        package var fingerprint: KeyFingerprint
        /// The app that opened the session, and its secret.
        package var app: AppID
        package var secret: SecretID
        /// The event that opened the session.
        package var opened: Moment
        /// Why the session ended; `nil` while its stream has no end.
        package var end: SessionEnd?

        package init(_ event: SessionOpened, at opened: Moment, end: SessionEnd? = nil) {
            employee = event.employeeID
            fingerprint = event.fingerprint
            app = event.appID
            secret = event.secretID
            self.opened = opened
            self.end = end
        }
    }

    /// A grant as its stream has it.
    package struct Grant: Sendable, Equatable {
        /// What was granted.
        package var event: GrantOpened
        /// The event that opened the grant.
        package var opened: Moment
        /// Why the grant ended by itself; `nil` while its stream has no end.
        package var end: GrantEnd?

        package init(_ event: GrantOpened, at opened: Moment, end: GrantEnd? = nil) {
            self.event = event
            self.opened = opened
            self.end = end
        }
    }

    /// When something happened, in the ledger of its event.
    package struct Moment: Sendable, Equatable {
        package var position: Int64
        /// The time of the event.
        package var time: Timestamp
        /// The request that caused it.
        package var requestID: String?

        package init(position: Int64, time: Timestamp, requestID: String? = nil) {
            self.position = position
            self.time = time
            self.requestID = requestID
        }
    }

    /// The account.
    package var employee: Employee.State
    package var tenant: Tenant.State
    /// The consent of the account to the client.
    package var consent: Consent.State
    /// The last change of the person's credentials, in the directory's ledger; `nil` without one, or if it is not known.
    package var credentials: Moment?
    /// The app that opened the session; `nil` if it is not known.
    package var opener: App.State?

    package init(
        employee: Employee.State, tenant: Tenant.State, consent: Consent.State = Consent.initial,
        credentials: Moment? = nil, opener: App.State? = nil
    ) {
        self.employee = employee
        self.tenant = tenant
        self.consent = consent
        self.credentials = credentials
        self.opener = opener
    }

    /// Why a session has ended; `nil` while it lives. The time of its end is that of its row.
    package func end(of session: Session) -> SessionEnd? { session.end ?? loss(of: session) }

    /// What ended a session besides its own stream: person, device key, link, secret or credentials.
    package func loss(of session: Session) -> SessionEnd? {
        guard isActive(on: session.fingerprint) else { return .closed }
        guard session.opened.position > employee.sessionsEndedAt else { return .endedByAdmin }
        guard tenant.links(session.app, as: .access),
            session.opened.position > tenant.unlinkedAt[session.app, default: 0]
        else { return .appUnlinked }
        if let opener, opener.secrets[session.secret]?.isRevoked ?? true { return .secretRevoked }
        return isReplaced(session) ? .closed : nil
    }

    /// Whether a grant that outlives its session may go on, as far as the session says.
    private func carries(_ session: Session) -> Bool {
        // After `deviceFailed` the attempts of the device are exhausted, so whoever has it is not the owner.
        session.end != .deviceFailed && loss(of: session) == nil
    }

    /// Whether a grant goes on that was opened in a session. One without the scope `offline_access` needs its session
    /// besides.
    package func carries(_ grant: Grant, of session: Session, at time: Timestamp) -> Bool {
        let client = grant.event.clientID, position = grant.opened.position
        return grant.end == nil && time < grant.event.expiresAt && session.employee == grant.event.employeeID
            && (session.end == nil || grant.event.scopes.contains(.offlineAccess)) && carries(session)
            && position > employee.sessionsEndedAt && position > consent.withdrawnAt
            && tenant.links(client, as: .access) && position > tenant.unlinkedAt[client, default: 0]
    }

    /// Whether the account is in force, with a device key of this fingerprint.
    package func isActive(on fingerprint: KeyFingerprint) -> Bool {
        guard let account = employee.account, !account.isCancelled else { return false }
        return employee.keys.values.contains { $0.status == .authorized && $0.fingerprint == fingerprint }
    }

    /// Whether the credentials were changed after the session was opened. The change itself opens one, in its append.
    private func isReplaced(_ session: Session) -> Bool {
        guard let credentials, session.opened.time <= credentials.time else { return false }
        let isOfChange =
            credentials.requestID != nil && session.opened.requestID == credentials.requestID
            && session.opened.time.adding(Self.appendTime) >= credentials.time
        return !isOfChange
    }

    /// The time by which the ledgers of one append may differ.
    private static let appendTime: Duration = .seconds(60)
}
