import Canonical
@testable import Identity
import Testing

extension EventSamples {
    static let mpinIdentity: MPinIdentityID = Sample.id(100)
    static let mpinActivation: MPinActivationID = Sample.id(101)

    static func mpin() throws -> [any EventPayload] {
        try mpinRegistrations() + mpinProofs() + mpinActivations()
    }

    static func mpinRegistrations() throws -> [any EventPayload] {
        let byAdmin = Authority.employee(admin, try Sample.statement(by: Sample.key(0x33)))
        let byApp = Authority.app(app, secret: secret, try Sample.statement(by: Sample.key(0x22)))
        let byDevice = Authority.employee(employee, try Sample.statement(by: Sample.key(0x11)))
        let until = Sample.start.adding(.seconds(3_600))
        func personal(_ text: String) -> Personal { Personal(owner: mpinIdentity.uuid, text: text) }
        return [
            MPinPolicyChanged(policy: .initial, by: byAdmin),
            MPinPolicyChanged(
                policy: MPinPolicy(
                    enabled: false, verification: .application, maximumFailures: 5, opensSessions: true),
                by: byAdmin),
            MPinRegistrationStarted(
                identityID: mpinIdentity, mpinIDHash: try Sample.bytes32(0xA0), userID: personal("Zoe@example.org"),
                deviceName: personal("Zoë's phone"), verification: .email, expiresAt: until),
            MPinRegistrationStarted(
                identityID: mpinIdentity, mpinIDHash: try Sample.bytes32(0xA0), userID: personal("204"),
                verification: .application, expiresAt: until),
            MPinRegistrationRestarted(expiresAt: until),
            MPinLinked(employeeID: employee, fingerprint: try Sample.fingerprint(0xAB), by: byDevice),
            MPinIdentityVerified(method: .email, issueUntil: until, by: .policy),
            MPinIdentityVerified(method: .code, issueUntil: until, by: .policy),
            MPinIdentityVerified(method: .application, issueUntil: until, by: byApp),
            MPinIdentityVerified(method: .device, issueUntil: until, by: byDevice),
            MPinClientKeyIssued(suite: .bls12381AMCL3SHA256, epoch: 2, pushIdentifier: personal("push-7")),
            MPinClientKeyIssued(suite: .bls12381AMCL3SHA256, epoch: 0),
            MPinRegistered(),
        ]
    }

    static func mpinProofs() throws -> [any EventPayload] {
        let byAdmin = Authority.employee(admin, try Sample.statement(by: Sample.key(0x33)))
        let byOperator = Authority.operator(try Sample.statement(by: Sample.key(0x99)))
        return [
            MPinAuthenticationFailed(failures: 2, limit: 3, lifetime: 17),
            MPinFailuresCleared(),
            MPinBlocked(reason: .failures), MPinBlocked(reason: .lifetime),
            MPinRevoked(reason: .revoked, by: byAdmin), MPinRevoked(reason: .reclaimed, by: byAdmin),
            MPinRevoked(reason: .superseded, by: .policy), MPinRevoked(reason: .expired, by: .policy),
            MPinRevoked(reason: .gaveWay, by: .policy, userID: user),
            MPinErased(by: byOperator),
            MPinAuthenticated(identityID: mpinIdentity),
            MPinValidated(
                challenge: Array("tenure/v1/challenge\n{}".utf8), deviceSignature: try Sample.signature(0x44)),
        ]
    }

    static func mpinActivations() throws -> [any EventPayload] {
        func personal(_ text: String) -> Personal { Personal(owner: mpinActivation.uuid, text: text) }
        return [
            MPinActivationIssued(
                activationID: mpinActivation, digest: try Sample.bytes32(0xB0), subject: try Sample.bytes32(0xB1),
                userID: personal("204"), subjectSalt: personal("c2FsdA"), expiresAt: Sample.start,
                by: .app(app, secret: secret, try Sample.statement(by: Sample.key(0x22)))),
            MPinActivationFailed(activationID: mpinActivation, failures: 1, limit: 5),
            MPinActivationUsed(activationID: mpinActivation, identityID: mpinIdentity),
        ]
    }
}
