import Canonical
@testable import Identity
import Testing

/// For each event, one value with every member and further ones with what may be absent or may vary.
enum EventSamples {
    static let employee: EmployeeID = Sample.id(1)
    static let user: UserID = Sample.id(2)
    static let app: AppID = Sample.id(3)
    static let secret: SecretID = Sample.id(4)
    static let credential: CredentialID = Sample.id(5)
    static let flow: FlowID = Sample.id(6)
    static let session: SessionID = Sample.id(7)
    static let charge: ChargeID = Sample.id(8)
    static let admin: EmployeeID = Sample.id(9)
    static let tenant: TenantID = Sample.id(10)

    static func all() throws -> [any EventPayload] {
        try employees() + tenants() + users() + apps() + rest() + decisions() + invitations() + mpin() + mails()
            + returns() + clients()
    }

    /// Decisions of persons, apps and the operator, and what they are about.
    static func decisions() throws -> [any EventPayload] {
        let byAdmin = Authority.employee(admin, try Sample.statement(by: Sample.key(0x33)))
        let byApp = Authority.app(app, secret: secret, try Sample.statement(by: Sample.key(0x22)))
        let byOperator = Authority.operator(try Sample.statement(by: Sample.key(0x99)))
        let keys = [try Sample.fingerprint(0xAB), try Sample.fingerprint(0xAC)]
        return [
            EmployeeApproved(employeeID: employee, emailVerified: true, by: byAdmin),
            EmployeeApproved(employeeID: employee, by: byApp),
            EmployeeCancelled(employeeID: employee, reason: .cancelled, note: Personal(employee, "Left."), by: byAdmin),
            EmployeeCancelled(employeeID: employee, reason: .cancelled, by: byApp),
            EmployeeCancelled(employeeID: employee, reason: .reclaimed, by: byAdmin),
            EmployeeReinstated(employeeID: employee, by: byAdmin),
            EmployeeEmailChanged(
                employeeID: employee, userID: user, email: Personal(employee, "zoe@new.example"),
                subject: try Sample.bytes32(0x91), subjectSalt: Personal(employee, "c2FsdA"), by: byAdmin),
            EmployeeEmailChanged(
                employeeID: employee, userID: user, email: Personal(employee, "zoe@new.example"), by: .policy),
            EmailReclaimed(employeeID: employee, userID: user, reason: Personal(employee, "Left."), by: byAdmin),
            EmployeeIdReleased(employeeID: employee, reason: .cancelled, by: byAdmin),
            EmployeeIdReleased(employeeID: employee, reason: .expired, by: .policy),
            EmployeeSessionsEnded(
                employeeID: employee, reason: try #require(ReasonCode("sessions_ended")), by: byAdmin),
            TenantPolicyChanged(
                policy: TenantPolicy(registrationMode: .invited, recoveryDelayHours: 48, adminSessionHours: 2),
                by: byAdmin),
            TenantPolicyChanged(
                policy: TenantPolicy(logIn: .passkey, adminsNeedPasskey: true, clonedKey: .stop), by: byAdmin),
            TenantPolicyChanged(policy: .ofPages, by: .founding),
            AppLinked(appID: app, roles: RoleSet(.access, .administration), by: byAdmin),
            AppLinked(appID: app, by: .founding),
            AppUnlinked(appID: app, by: byAdmin),
            AdminAppointed(employeeID: employee, fingerprints: keys, by: byAdmin),
            AdminDismissed(employeeID: employee, by: byAdmin),
            SecurityAdminSucceeded(employeeID: employee, fingerprints: keys, by: byOperator),
            AddressReclaimed(userID: user, reason: try #require(ReasonCode("reclaimed")), by: byAdmin),
            RecoveryOpened(
                recoveryID: Sample.id(62), userID: user, tenant: tenant, employeeID: employee,
                fingerprint: try Sample.fingerprint(0x66), credentialID: credential,
                expiresAt: Sample.start.adding(.seconds(345_600)), openerID: Sample.id(63),
                availableAt: Sample.start.adding(.seconds(86_400)), soleAdmin: true, by: byAdmin),
            AppRegistered(
                appID: app, name: "Démo", salt: try Sample.bytes32(0x55), customQuestions: true, by: byOperator),
            AppSecretIssued(
                appID: app, secretID: secret, roles: RoleSet(.access, .administration),
                digest: try Sample.bytes32(0x66), authorityKey: Sample.key(0x22), by: byOperator),
            AppSecretIssued(
                appID: app, secretID: secret, roles: RoleSet(.creation), digest: try Sample.bytes32(0x66),
                authorityKey: Sample.key(0x22), by: byOperator),
            AppSecretRetired(appID: app, secretID: secret, by: byOperator),
            AppSecretRevoked(appID: app, secretID: secret, by: byOperator),
            AppResourceAdded(
                appID: app, resource: try ResourceIndicator("https://api.example.com/v1"), by: byOperator),
            AppResourceRemoved(
                appID: app, resource: try ResourceIndicator("urn:example:harbour"), by: byOperator),
            SystemFounded(operatorKey: Sample.key(0x99), keyCheck: try Sample.bytes32(0x9A)),
            EntryDisowned(ledger: Sample.uuid(10), position: 41, leaf: try Sample.bytes32(0x79)),
            EntryDisowned(ledger: Sample.uuid(10), position: 41, leaf: try Sample.bytes32(0x79), by: byOperator),
            EventsKeyReplaced(key: [1, 2], sizes: [.init(ledger: Sample.uuid(10), size: 41)]),
            LedgerTimeAccepted(ledger: app.uuid, position: 41, time: Sample.start, by: byOperator),
            SessionOpened(
                sessionID: session, employeeID: employee, fingerprint: try Sample.fingerprint(0xAB),
                expiresAt: Sample.start, appID: app, secretID: secret),
        ]
    }

    static func clients() throws -> [any EventPayload] {
        let keyIDs = [UInt8(0x41), 0x42].map { Base64URL.encode([UInt8](repeating: $0, count: 32)) }
        let byOperator = Authority.operator(try Sample.statement(by: Sample.key(0x99)))
        return [
            AppClientChanged(
                appID: app,
                client: try ClientRegistration(
                    redirects: [
                        ClientURI("https://app.example.com/callback"), ClientURI("com.example.app:/callback"),
                    ], postLogout: [ClientURI("https://app.example.com/bye")],
                    origins: [ClientOrigin("https://app.example.com")], tenants: [tenant], isPublic: true,
                    idToken: .es256, consent: .once), by: byOperator),
            AppClientChanged(
                appID: app,
                client: try ClientRegistration(
                    redirects: [ClientURI("http://127.0.0.1:8000/callback")], anyTenant: true), by: byOperator),
            AppClientChanged(
                appID: app,
                client: try ClientRegistration(
                    redirects: [ClientURI("https://app.example.com/callback")], challenge: .required), by: byOperator),
            AppChallengeAnswered(appID: app),
            PagesEnabled(appID: app, by: byOperator), AppEnded(appID: app, by: byOperator),
            TokenKeysRotated(keyIDs: keyIDs, signsFrom: Sample.start, isCompromised: false),
            OriginsChanged(
                rpID: "example.com",
                origins: [try ClientOrigin("https://example.com"), try ClientOrigin("https://id.example.com:8443")],
                by: byOperator),
            BrowserSessionOpened(browserSessionID: Sample.id(95), sessionID: session, employeeID: employee),
            GrantOpened(
                grantID: Sample.id(96), sessionID: session, employeeID: employee, clientID: app,
                scopes: [.offlineAccess, .openid, .profile], expiresAt: Sample.start),
            GrantClosed(grantID: Sample.id(96), reason: .codeReused),
            ConsentGiven(employeeID: employee, clientID: app, scopes: [.email, .openid]),
            ConsentWithdrawn(employeeID: employee, clientID: app),
            WaitEnded(
                flow: flow, employeeID: employee, sessionID: session, key: Sample.key(0x11),
                challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44)),
            DeviceMailConfirmed(
                flow: flow, employeeID: employee, fingerprint: try Sample.fingerprint(0xAB), address: 7),
            DeviceNamed(
                employeeID: employee, fingerprint: try Sample.fingerprint(0xAB),
                name: Personal(employee, "Zoë’s tablet")),
            DisplayNameSet(employeeID: employee, name: Personal(employee, "Zoë Ünal")),
        ]
    }

    static func invitations() throws -> [any EventPayload] {
        let invitation: InvitationID = Sample.id(90)
        let byAdmin = Authority.employee(admin, try Sample.statement(by: Sample.key(0x33)))
        func personal(_ text: String) -> Personal { Personal(owner: invitation.uuid, text: text) }
        return [
            InvitationIssued(
                invitationID: invitation, digest: try Sample.bytes32(0x90), subject: try Sample.bytes32(0x91),
                companyEmployeeID: personal("204"), subjectSalt: personal("c2FsdA"),
                email: personal("zoe@example.org"), expiresAt: Sample.start, by: byAdmin),
            InvitationIssued(
                invitationID: invitation, digest: try Sample.bytes32(0x90), subject: try Sample.bytes32(0x91),
                companyEmployeeID: personal("204"), subjectSalt: personal("c2FsdA"), expiresAt: Sample.start,
                by: byAdmin),
            InvitationUsed(invitationID: invitation, employeeID: employee),
            InvitationRevoked(invitationID: invitation, reason: .revoked, by: byAdmin),
        ]
    }

    static func employees() throws -> [any EventPayload] {
        let key = Sample.key(0x11)
        let byApp = Authority.app(app, secret: secret, try Sample.statement(by: Sample.key(0x22)))
        let byAdmin = Authority.employee(admin, try Sample.statement(by: Sample.key(0x33)))
        let reason = try #require(ReasonCode("unknown_device"))
        return [
            EmployeeRegistered(
                employeeID: employee, userID: user, companyName: "BayunSystems.com",
                companyEmployeeID: Personal(employee, "Zoë 7"), email: Personal(employee, "Zoe@BayunSystems.com"),
                isCompanyOwnedEmail: true, approved: true),
            EmployeeRegistered(
                employeeID: employee, userID: user, companyEmployeeID: Personal(employee, "204"),
                email: Personal(employee, "204@5550100.dummy-email"), isCompanyOwnedEmail: false, approved: false),
            EmployeeKeyPresented(employeeID: employee, key: key, flow: flow, first: true),
            EmployeeKeyPresented(
                employeeID: employee, key: key, kind: .passkey, flow: flow, first: false,
                passkey: try Sample.passkey(isBackupEligible: true)),
            PasskeyValidated(
                employeeID: employee, fingerprint: try Sample.fingerprint(0xAB), flow: flow,
                challenge: Array("tenure/v2/challenge\n{}".utf8), evidence: try Sample.evidence()),
            PasskeyBackupChanged(employeeID: employee, fingerprint: try Sample.fingerprint(0xAB), backedUp: true),
            PasskeyCounted(employeeID: employee, fingerprint: try Sample.fingerprint(0xAB), counter: 3),
            PasskeyCounterRepeated(
                employeeID: employee, fingerprint: try Sample.fingerprint(0xAB), counter: 3, previous: 4),
            EmployeeKeyAuthorized(employeeID: employee, key: key, by: .founding),
            EmployeeKeyAuthorized(employeeID: employee, key: key, by: .policy),
            EmployeeKeyAuthorized(employeeID: employee, key: key, by: byApp),
            EmployeeKeyAuthorized(employeeID: employee, key: key, by: byAdmin),
            EmployeeKeyRefused(
                employeeID: employee, key: key, reason: reason, note: Personal(employee, "Nobody knows it."), by: byApp
            ),
            EmployeeKeyRefused(employeeID: employee, key: key, reason: reason, by: byAdmin),
            EmployeeKeyRevoked(
                employeeID: employee, key: key, reason: reason, note: Personal(employee, "Lost."), by: byAdmin),
            EmployeeKeyRevoked(employeeID: employee, key: key, reason: reason, by: byApp),
            EmployeeErased(employeeID: employee, by: .operator(nil)),
            EmployeeErased(employeeID: employee, by: .employee(admin, nil)),
        ]
    }

    static func tenants() throws -> [any EventPayload] {
        let byAdmin = Authority.employee(admin, try Sample.statement(by: Sample.key(0x33)))
        return [
            TenantPolicyChanged(
                policy: TenantPolicy(
                    keyAuthorization: .securityAdmin, approval: .admin, blindOnly: true,
                    questionsWithPassphrase: false),
                by: byAdmin),
            TenantPolicyChanged(policy: TenantPolicy(keyAuthorization: .automatic), by: byAdmin),
            DomainConfirmed(domain: "straße.example", aLabel: "xn--strae-oqa.example", by: .operator(nil)),
        ]
    }

    static func users() throws -> [any EventPayload] {
        [
            CredentialsSet(
                userID: user, credentialID: credential, record: Array(0...255),
                email: Personal(user, "zoe@example.org"),
                challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44),
                userSignature: try Sample.signature(0x55)),
            CredentialsChanged(
                userID: user, credentialID: Sample.id(61), previousCredentialID: credential, record: Array(0...255),
                challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44),
                userSignature: try Sample.signature(0x55)),
            CredentialsSet(
                userID: user, credentialID: credential, record: Array(0...255),
                email: Personal(user, "zoe@example.org"),
                challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44),
                userSignature: try Sample.signature(0x55), secretless: true),
            CredentialsChanged(
                userID: user, credentialID: Sample.id(61), previousCredentialID: credential, record: Array(0...255),
                challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44),
                userSignature: try Sample.signature(0x55), secretless: true),
            RecoveryConfirmed(
                recoveryID: Sample.id(62), userID: user, tenant: tenant, employeeID: employee,
                opened: try Sample.bytes32(0x77), confirmerID: user,
                by: .employee(employee, try Sample.statement(by: Sample.key(0x34)))),
            RecoveryCancelled(
                recoveryID: Sample.id(62), userID: user, tenant: tenant, employeeID: employee,
                reason: try #require(ReasonCode("login")), by: .employee(employee, nil)),
            EmailReleased(userID: user, tenant: tenant),
            EmailGaveWay(userID: user, claimant: Sample.id(77)),
            EmailChanged(userID: user, email: Personal(user, "zoe@new.example"), undoUntil: Sample.start),
            EmailChanged(userID: user, email: Personal(user, "zoe@new.example")),
            EmailChangeUndone(userID: user, change: 7),
            JoinedByPasskey(
                userID: user, key: Sample.key(0x11), challenge: Array("tenure/v2/challenge\n{}".utf8),
                evidence: try Sample.evidence()),
            UserErased(userID: user, by: .operator(nil)),
        ]
    }

    static func apps() throws -> [any EventPayload] {
        [
            CheckpointSealed(
                checkpoints: [
                    .init(ledger: Sample.uuid(10), size: 1, root: try Sample.bytes32(0x77)),
                    .init(ledger: Sample.uuid(11), size: 9_007_199_254_740_991, root: try Sample.bytes32(0x78)),
                ], clock: Sample.start.adding(.seconds(1))),
            CheckpointSealed(
                checkpoints: [.init(ledger: Sample.uuid(10), size: 1, root: try Sample.bytes32(0x77))],
                clock: Sample.start.adding(.seconds(1)), asOf: Sample.start),
        ]
    }

    static func rest() throws -> [any EventPayload] {
        let fingerprint = try Sample.fingerprint(0xAB)
        let validation = CredentialValidation(
            employeeID: employee, userID: user, credentialID: credential, userKey: Sample.key(0x77),
            employeeKey: Sample.key(0x11), purpose: .login, mode: .blind,
            challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44),
            userSignature: try Sample.signature(0x45), subjectSalt: Personal(employee, "c2FsdA"))
        var direct = validation
        direct.purpose = .registration
        direct.mode = .direct
        return [
            AttemptCharged(
                credentialID: credential, flow: flow, device: .unknown, fingerprint: fingerprint, spent: 3, limit: 20),
            AttemptCharged(
                credentialID: credential, flow: flow, device: .known, fingerprint: fingerprint, spent: 1, limit: 10),
            AttemptCharged(
                credentialID: credential, flow: flow, device: .unknown, fingerprint: fingerprint, spent: 3, limit: 20,
                shares: [.init(share: try Sample.bytes32(0x79), spent: 3, limit: 5)]),
            AttemptsCleared(credentialID: credential, flow: flow, charge: charge),
            AddressProved(
                userID: user, credentialID: credential, flow: flow, device: .unknown, fingerprint: fingerprint),
            CredentialsLocked(credentialID: credential, device: .unknown, until: Sample.start),
            CredentialsLocked(credentialID: credential, device: .known),
            AnswersValidated(validation: validation), AnswersValidated(validation: direct),
            PassphraseValidated(validation: validation), PassphraseValidated(validation: direct),
            SessionClosed(sessionID: session, reason: .closed),
            SessionClosed(sessionID: session, reason: .refreshReused),
            SessionClosed(sessionID: session, reason: .expired),
            SessionClosed(sessionID: session, reason: .replaced, successor: Sample.id(97)),
        ]
    }
}
