import Canonical
import Credentials
import Crypto
import ErrorCodes
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// The account that somebody registers, with a passkey of another account of theirs.
struct JoinedAccount: Sendable {
    let flow: UUID
    let tenant: UUID
    let employee: UUID
    /// The fingerprint of its device key.
    let key: KeyFingerprint
}

extension ServiceContext {
    /// How long a challenge for passkeys may be answered.
    private static let passkeyPatience: Duration = .seconds(120)

    /// A challenge that names no key, and an account only if its owner adds a passkey.
    ///
    /// It stands in no row: its nonce is a keyed digest of the other fields and of the browser, which the service
    /// computes again. An answer takes the nonce once.
    ///
    /// - Parameters:
    ///   - visitor: The secret of the browser that answers.
    ///   - owner: Who adds a passkey, or joins another tenant; `nil` in any other flow.
    ///   - joined: The account that the owner registers there.
    func passkeyChallenge(
        of rpID: String, visitor: String, app: UUID, at time: Timestamp, addedBy owner: EmployeeCaller? = nil,
        joining joined: JoinedAccount? = nil
    ) throws -> PasskeyChallenge {
        var fields = PasskeyChallenge.Fields(
            issuer: settings.issuer, rpID: rpID, flow: joined?.flow ?? UUID.random(), nonce: [], app: app.lowercased,
            expires: time.adding(Self.passkeyPatience), tenant: owner?.tenantId, employee: owner?.employeeId,
            joinedTenant: joined?.tenant, joinedEmployee: joined?.employee, joinedKey: joined?.key.bytes)
        fields.nonce = passkeyNonce(fields, visitor: visitor)
        return try PasskeyChallenge(fields)
    }

    /// Reads a challenge that this service made for the browser, and for the account of whoever adds a passkey.
    ///
    /// - Throws: `flow.expired` for one whose time is over, `employee.key_invalid` for bytes that are none.
    func passkeyChallenge(
        _ bytes: [UInt8], of rpID: String, visitor: String, app: UUID, at time: Timestamp,
        addedBy owner: EmployeeCaller? = nil, joining joined: JoinedAccount? = nil
    ) throws(ServiceError) -> PasskeyChallenge {
        guard let challenge = try? PasskeyChallenge(parsing: bytes), case let fields = challenge.fields,
            fields.issuer == settings.issuer, fields.rpID == rpID, fields.app == app.lowercased,
            fields.tenant == owner?.tenantId, fields.employee == owner?.employeeId,
            fields.joinedTenant == joined?.tenant, fields.joinedEmployee == joined?.employee,
            fields.joinedKey == joined?.key.bytes, fields.flow == joined?.flow ?? fields.flow,
            fields.nonce == passkeyNonce(fields, visitor: visitor)
        else { throw ServiceError(.employeeKeyInvalid) }
        guard time <= fields.expires else { throw ServiceError(.flowExpired) }
        return challenge
    }

    /// What an app asks an authenticator with: a challenge, and the site.
    func passkeyOptions(
        of rpID: String, visitor: String, app: UUID, at time: Timestamp, addedBy owner: EmployeeCaller? = nil
    ) throws -> PasskeyOptionsResponse {
        let challenge = try passkeyChallenge(of: rpID, visitor: visitor, app: app, at: time, addedBy: owner)
        return PasskeyOptionsResponse(
            rpId: rpID, challenge: challenge.bytes, digest: Array(SHA256.hash(data: challenge.bytes)),
            expiresAt: challenge.fields.expires)
    }

    private func passkeyNonce(_ fields: PasskeyChallenge.Fields, visitor: String) -> [UInt8] {
        let accounts = [fields.tenant, fields.employee, fields.joinedTenant, fields.joinedEmployee]
        let named = accounts.map { $0?.lowercased ?? "" } + (fields.joinedKey.map { [Hex.encode($0)] } ?? [])
        let parts = [fields.flow.lowercased, "\(fields.expires)"] + named + [visitor]
        return ring.lookupDigest(kind: "passkey-nonce", Array(parts.joined(separator: "\n").utf8))
    }

    /// Takes the nonce of a challenge, once.
    func takePasskeyChallenge(_ challenge: PasskeyChallenge, at time: Timestamp) async throws -> Bool {
        try await takeOnce("passkey", challenge.bytes, for: .seconds(150), at: time)
    }

    /// Takes something once: of two calls with the same text one is the first.
    ///
    /// - Parameter memory: How long it is known, which is longer than it is valid.
    func takeOnce(_ kind: String, _ text: [UInt8], for memory: Duration, at time: Timestamp) async throws -> Bool {
        let key = ring.lookupDigest(kind: kind, text), ledger = LedgerID.directory(key[0])
        let rows = try await pool.query(
            """
            INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(time.adding(memory).postgres))
            ON CONFLICT (ledger_id, key) DO NOTHING RETURNING 1
            """, in: [ledger])
        return !rows.isEmpty
    }
}

extension PasskeyFacts {
    /// What each assertion of the passkey is held against.
    var identity: PasskeyIdentity {
        PasskeyIdentity(rpID: rpID, credentialID: credentialID, isBackupEligible: isBackupEligible)
    }
}

extension PasskeyAnswer {
    /// The evidence of kind 2; empty for an answer that is none, which is then refused like any wrong one.
    var evidence: [UInt8] {
        let assertion = try? PasskeyAssertion(
            algorithm: signature.count == 256 ? .rs256 : .es256, authenticatorData: authenticatorData,
            clientDataJSON: clientDataJSON, signature: signature)
        return assertion.map { DeviceEvidence.passkey($0).bytes } ?? []
    }
}

/// Reads the site that passkeys belong to.
package struct ReadPasskeySite: UseCase {
    package init() {}

    /// Returns the `rpId`; `nil` if the service takes no passkeys.
    package func run(_ run: UseCaseRun<String?>) async throws -> String? { try await run.context.passkeyRules()?.rpID }
}

/// Makes the challenge that a passkey of a page signs next.
package struct IssuePasskeyChallenge: UseCase, Redacted {
    /// Who adds a passkey; `nil` for a log-in.
    package let owner: EmployeeCaller?
    /// The secret of the browser.
    package let visitor: String
    package let app: AppCaller

    package init(addedBy owner: EmployeeCaller? = nil, visitor: String, app: AppCaller) {
        self.owner = owner
        self.visitor = visitor
        self.app = app
    }

    /// Returns the bytes.
    ///
    /// - Throws: `route.unknown` if the service takes no passkeys.
    package func run(_ run: UseCaseRun<[UInt8]>) async throws -> [UInt8] {
        guard let rules = try await run.context.passkeyRules() else { throw ServiceError(.routeUnknown) }
        return try run.context.passkeyChallenge(
            of: rules.rpID, visitor: visitor, app: app.appId, at: run.call.time, addedBy: owner
        ).bytes
    }
}
