import Canonical
import Crypto
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Keys
import Ledger
import MPinCryptography
import TenureAPI

/// A tenant as the M-Pin protocol meets it: the app's access, and where keys come from.
struct MPinCompany: Sendable {
    let access: CompanyAccess
    let keys: any MPinKeySource

    var tenant: TenantID { access.tenant.id }
    var policy: MPinPolicy { access.tenant.state.mpinPolicy }

    /// Whether the app may verify identities by its word.
    var mayVerify: Bool {
        guard case .app(let app) = access.decider else { return false }
        return app.may(.authorization)
    }

    /// The suite of every key.
    static let suite = MPinSuite.bls12381AMCL3SHA256
}

extension ServiceContext {
    /// Checks that an app may use M-Pin for a tenant.
    ///
    /// - Parameter role: The role that the app's secret and link both need.
    /// - Throws: `mpin.disabled` where the tenant or the installation does not offer M-Pin, and what
    ///   ``access(_:_:role:)`` throws.
    func mpin(_ company: String, _ app: AppCaller, role: AppLinkRequest.Role) async throws -> MPinCompany {
        let access = try await access(company, .app(app), role: role)
        guard let keys = mpin.keys, access.tenant.state.mpinPolicy.enabled else { throw ServiceError(.mpinDisabled) }
        return MPinCompany(access: access, keys: keys)
    }

    /// Finds an identity by its M-Pin ID; `nil` if the tenant has none of that name.
    func mpinIdentity(named id: MPinID, in tenant: TenantID) async throws -> MPinIdentitySnapshot? {
        guard let claim = try await reader.claim(ring.mpinClaim(hash: id.hash, in: tenant)) else { return nil }
        return try await mpinIdentity(MPinIdentityID(claim.owner), in: tenant)
    }

    /// Loads an identity. One that never started has version 0.
    ///
    /// - Parameter readsUserID: Whether the user id is decrypted, if its key still exists.
    func mpinIdentity(
        _ id: MPinIdentityID, in tenant: TenantID, readsUserID: Bool = false
    ) async throws -> MPinIdentitySnapshot {
        let stream = StreamID.mpin(id, in: tenant)
        let keys = readsUserID ? try await personKeys.load([id.uuid], ledger: tenant.uuid) : [:]
        return try StateLoader.mpin(id, try await reader.streams([stream])[stream] ?? [], keys: keys)
    }

    /// The status of the employee whom an identity is linked to, and the version that the decision has to guard.
    func linkedEmployee(
        of identity: MPinIdentitySnapshot, in tenant: TenantID
    ) async throws -> EmployeeSnapshot? {
        guard let link = identity.state.link else { return nil }
        return try await StateLoader(reader: reader).employee(link.employee, in: tenant)
    }

    /// The status of a linked employee, as the rules of an identity see it: `nil` unless the linked device key is in
    /// force. A revoked key is never in force again, so the identity is of no use after its device, nor after a
    /// cancellation, which revokes the account's keys: a reinstatement does not bring it back.
    func linkedStatus(_ employee: EmployeeSnapshot?, of identity: MPinIdentitySnapshot?) -> EmployeeStatus? {
        guard let employee, let link = identity?.state.link,
            employee.state.authorizedKeys.contains(where: { KeyFingerprint(of: $0) == link.fingerprint })
        else { return nil }
        return employee.state.account?.status
    }

    /// The code with which the client that started a registration continues it: 32 hexadecimal characters.
    func mpinRegistrationToken(_ identity: MPinIdentityID, in tenant: TenantID) -> String {
        Hex.encode(Array(ring.mpinCode("regOTT", [tenant.uuid.bytes, identity.uuid.bytes]).prefix(16)))
    }

    /// Finds the identity of a registration in progress.
    ///
    /// - Throws: `mpin.unknown` for an unknown M-Pin ID, and in the same way for a wrong token.
    func mpinRegistration(_ id: MPinID, token: String, in tenant: TenantID) async throws -> MPinIdentitySnapshot {
        guard let identity = try await mpinIdentity(named: id, in: tenant),
            equalInConstantTime(Array(mpinRegistrationToken(identity.id, in: tenant).utf8), Array(token.utf8))
        else { throw ServiceError(.mpinUnknown) }
        return identity
    }
}

/// Compares two byte strings in a time that depends on their lengths only.
func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// The public name of an M-Pin identity: a JSON object whose 16 random bytes make it unguessable.
///
/// Everybody hashes exactly these bytes; nobody parses them. They hold the user id, so they are never logged, and the
/// log has only their SHA-256.
struct MPinID: Sendable {
    /// The bytes, UTF-8.
    let bytes: [UInt8]

    /// The number of bytes that are accepted. A user id of 256 bytes is far below, however it is escaped.
    private static let maximumBytes = 2_048

    /// Makes the name of a new identity.
    init(of userID: MPinUserID, at time: Timestamp) {
        let object: JSONValue = .object([
            "issued": .string(time.seconds), "mobile": .integer(1), "salt": .string(Hex.encode(randomBytes(16))),
            "userID": .string(userID.entered),
        ])
        bytes = object.canonicalBytes()
    }

    /// Reads a name as it is sent: hexadecimal of either case.
    ///
    /// - Throws: `mpin.unknown` for any other text, because it names no identity.
    init(text: String) throws(ServiceError) {
        guard (2...2 * Self.maximumBytes).contains(text.utf8.count), let bytes = Hex.decodeAnyCase(text)
        else {
            throw ServiceError(.mpinUnknown)
        }
        self.bytes = bytes
    }

    /// The name as the service sends it: lower-case hexadecimal.
    var text: String { Hex.encode(bytes) }

    /// The SHA-256 of the bytes.
    var hash: Bytes32 {
        get throws(ProgramDefect) {
            guard let hash = Bytes32(Array(SHA256.hash(data: bytes))) else {
                throw ProgramDefect("a digest has another length")
            }
            return hash
        }
    }
}

extension Timestamp {
    /// The time in whole seconds, as M-Pin writes it: `2026-11-23T13:58:16Z`.
    var seconds: String { description.prefix(19) + "Z" }
}

/// What a client of M-Pin has to know about a tenant.
package struct MPinSettingsView: Sendable, Equatable {
    /// The tenant's id, which D-TAs know it by.
    package var tenantID: UUID
    /// The address of the second D-TA, with a slash at the end.
    package var clientURL: String
    /// The suite of new keys.
    package var suite: String
}

/// Tells a client of M-Pin what it has to know about a tenant.
package struct ReadMPinSettings: UseCase {
    package let company: String
    package let app: AppCaller

    package init(company: String, app: AppCaller) {
        self.company = company
        self.app = app
    }

    package func run(_ run: UseCaseRun<MPinSettingsView>) async throws -> MPinSettingsView {
        let role: AppLinkRequest.Role = app.roles.contains(.access) ? .access : .creation
        let company = try await run.context.mpin(self.company, app, role: role)
        return MPinSettingsView(
            tenantID: company.tenant.uuid, clientURL: company.keys.clientURL, suite: MPinCompany.suite.rawValue)
    }
}
