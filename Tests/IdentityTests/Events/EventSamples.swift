import Canonical
import Identity
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

    static func all() throws -> [any EventPayload] { try employees() + tenants() + users() + apps() + rest() }

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
            EmployeeApproved(employeeID: employee, by: .employee(admin, nil)),
            EmployeeCancelled(
                employeeID: employee, reason: .cancelled, note: Personal(employee, "Left."), by: .employee(admin, nil)),
            EmployeeCancelled(employeeID: employee, reason: .reclaimed, by: .employee(admin, nil)),
            EmployeeReinstated(employeeID: employee, by: .employee(admin, nil)),
            EmailReclaimed(
                employeeID: employee, userID: user, reason: Personal(employee, "Left."), by: .employee(admin, nil)),
            EmployeeErased(employeeID: employee, by: .operator),
            EmployeeErased(employeeID: employee, by: .employee(admin, nil)),
        ]
    }

    static func tenants() throws -> [any EventPayload] {
        [
            TenantPolicyChanged(
                policy: TenantPolicy(
                    keyAuthorization: .securityAdmin, approval: .admin, blindOnly: true,
                    questionsWithPassphrase: false),
                by: .employee(admin, try Sample.statement(by: Sample.key(0x33)))),
            TenantPolicyChanged(policy: TenantPolicy(keyAuthorization: .automatic), by: .employee(admin, nil)),
            DomainConfirmed(domain: "bayunsystems.com", by: .operator),
            AppLinked(appID: app, by: .founding),
            AppLinked(appID: app, by: .operator),
            AppUnlinked(appID: app, by: .employee(admin, nil)),
            AdminAppointed(employeeID: employee, by: .employee(admin, nil)),
            AdminDismissed(employeeID: employee, by: .employee(admin, nil)),
            SecurityAdminSucceeded(employeeID: employee, by: .operator),
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
            RecoveryOpened(
                recoveryID: Sample.id(62), userID: user, tenant: tenant, employeeID: employee,
                fingerprint: try Sample.fingerprint(0x66), credentialID: credential,
                expiresAt: Sample.start.adding(.seconds(259_200)), openerID: Sample.id(63),
                by: .employee(admin, try Sample.statement(by: Sample.key(0x33)))),
            RecoveryConfirmed(
                recoveryID: Sample.id(62), userID: user, tenant: tenant, employeeID: employee,
                opened: try Sample.bytes32(0x77), confirmerID: user,
                by: .employee(employee, try Sample.statement(by: Sample.key(0x34)))),
            RecoveryCancelled(
                recoveryID: Sample.id(62), userID: user, tenant: tenant, employeeID: employee,
                reason: try #require(ReasonCode("login")), by: .employee(employee, nil)),
            EmailReleased(userID: user, tenant: tenant, cause: Sample.uuid(11)),
            UserErased(userID: user, by: .operator),
        ]
    }

    static func apps() throws -> [any EventPayload] {
        [
            AppRegistered(appID: app, name: "Démo", salt: try Sample.bytes32(0x55)),
            AppSecretIssued(
                appID: app, secretID: secret, roles: .all, digest: try Sample.bytes32(0x66),
                authorityKey: Sample.key(0x22)),
            AppSecretIssued(
                appID: app, secretID: secret, roles: RoleSet(.creation), digest: try Sample.bytes32(0x66),
                authorityKey: Sample.key(0x22)),
            AppSecretRevoked(appID: app, secretID: secret),
            CheckpointSealed(checkpoints: [
                .init(ledger: Sample.uuid(10), size: 1, root: try Sample.bytes32(0x77)),
                .init(ledger: Sample.uuid(11), size: 9_007_199_254_740_991, root: try Sample.bytes32(0x78)),
            ]),
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
            AttemptsCleared(credentialID: credential, flow: flow, charge: charge),
            CredentialsLocked(credentialID: credential, device: .unknown, until: Sample.start),
            CredentialsLocked(credentialID: credential, device: .known),
            AnswersValidated(validation: validation), AnswersValidated(validation: direct),
            PassphraseValidated(validation: validation), PassphraseValidated(validation: direct),
            SessionOpened(
                sessionID: session, employeeID: employee, fingerprint: fingerprint, expiresAt: Sample.start),
            SessionClosed(sessionID: session, reason: .closed),
            SessionClosed(sessionID: session, reason: .refreshReused),
            SessionClosed(sessionID: session, reason: .expired),
        ]
    }
}
