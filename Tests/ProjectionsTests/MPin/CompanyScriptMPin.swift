import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Keys
import Testing

@testable import Projections

extension CompanyScript {
    /// The time in which a registration must go on.
    static let mpinWindow = Duration.seconds(3_600)

    /// Starts the registration of an identity with a key of its own.
    mutating func startMPin(
        _ userID: String = "zoe@example.test", device: String? = "Phone", mode: MPinVerificationMode = .email
    ) throws -> MPinIdentityID {
        let id = MPinIdentityID(UUID())
        use(PersonKey(id: id.uuid, key: SecretKey()))
        let hash = try #require(Bytes32((0..<32).map { _ in UInt8.random(in: 0...255) }))
        try mpin(
            MPinRegistrationStarted(
                identityID: id, mpinIDHash: hash, userID: Personal(owner: id.uuid, text: userID),
                deviceName: device.map { Personal(owner: id.uuid, text: $0) }, verification: mode,
                expiresAt: now.adding(Self.mpinWindow)), id)
        return id
    }

    /// Adds an event to the stream of an identity.
    mutating func mpin(_ payload: any EventPayload, _ id: MPinIdentityID) throws { try add(payload, "mpin", id.uuid) }

    /// Brings a started identity to its first right proof.
    mutating func registerMPin(_ id: MPinIdentityID) throws {
        try mpin(
            MPinIdentityVerified(method: .email, issueUntil: now.adding(Self.mpinWindow), by: .policy), id)
        try mpin(MPinClientKeyIssued(suite: .bls12381AMCL3SHA256, epoch: 1), id)
        try mpin(MPinRegistered(), id)
    }

    mutating func linkMPin(_ id: MPinIdentityID, to employee: EmployeeID) throws {
        let fingerprint = try #require(KeyFingerprint([UInt8](repeating: 7, count: 32)))
        try mpin(MPinLinked(employeeID: employee, fingerprint: fingerprint, by: .employee(employee, nil)), id)
    }

    /// Issues an activation code with a key of its own.
    mutating func issueMPinCode(for userID: String) throws -> MPinActivationID {
        let id = MPinActivationID(UUID())
        use(PersonKey(id: id.uuid, key: SecretKey()))
        let digest = try #require(Bytes32([UInt8](repeating: 3, count: 32)))
        func personal(_ text: String) -> Personal { Personal(owner: id.uuid, text: text) }
        try add(
            MPinActivationIssued(
                activationID: id, digest: digest, subject: digest, userID: personal(userID),
                subjectSalt: personal("c2FsdA"), expiresAt: now.adding(MPinActivation.lifetime), by: .operator(nil)),
            "activation", id.uuid)
        return id
    }

    /// Everything that happens to M-Pin identities and codes.
    mutating func everythingOfMPin(linkedTo employee: EmployeeID) throws {
        let registered = try startMPin()
        try mpin(MPinRegistrationRestarted(expiresAt: now.adding(Self.mpinWindow)), registered)
        try registerMPin(registered)
        try mpin(MPinAuthenticationFailed(failures: 1, limit: 3, lifetime: 1), registered)
        try mpin(MPinFailuresCleared(), registered)
        let linked = try startMPin("E-1", device: nil, mode: .application)
        try linkMPin(linked, to: employee)
        try mpin(
            MPinIdentityVerified(
                method: .device, issueUntil: now.adding(Self.mpinWindow), by: .employee(employee, nil)), linked)
        let blocked = try startMPin()
        try registerMPin(blocked)
        try mpin(MPinAuthenticationFailed(failures: 1, limit: 1, lifetime: 1), blocked)
        try mpin(MPinBlocked(reason: .failures), blocked)
        try mpin(MPinErased(by: .operator(nil)), blocked)
        for reason in [MPinRevocationReason.revoked, .reclaimed, .superseded, .expired] {
            let id = try startMPin()
            try mpin(MPinRevoked(reason: reason, by: .policy), id)
        }
        let erased = try startMPin()
        try mpin(MPinErased(by: .operator(nil)), erased)
        _ = try startMPin("waits@example.test")
        let code = try issueMPinCode(for: "204")
        try add(MPinActivationFailed(activationID: code, failures: 1, limit: 5), "activation", code.uuid)
        try add(MPinActivationUsed(activationID: code, identityID: registered), "activation", code.uuid)
        let flow = UUID()
        try add(MPinAuthenticated(identityID: registered), "flow", flow)
    }
}
