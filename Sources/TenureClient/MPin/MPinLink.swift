import Canonical
import Credentials
import Crypto
import Foundation
import TenureAPI

extension MPinClient {
    /// Links a user's identity to the account of an employee, signed with this device's authorized key.
    ///
    /// A linked identity is verified at once: `STARTED_REGISTRATION` becomes `ACTIVATED`. The user id must be the
    /// employee's e-mail address or id.
    ///
    /// The device signs one statement: that this identity, by the SHA-256 of this device's own M-Pin ID, belongs to this
    /// employee of this tenant. If the service asks to sign anything else, nothing is signed.
    ///
    /// ```swift
    /// mpinStatus = await mpin.startRegistration(user)
    /// mpinStatus = await mpin.link(user, session: session)
    /// mpinStatus = await mpin.confirmRegistration(user)
    /// ```
    ///
    /// - Parameters:
    ///   - user: A user in `STARTED_REGISTRATION` or `ACTIVATED`, before its key is made.
    ///   - session: The session of the employee on this device.
    /// - Returns: `OK`; `CRYPTO_ERROR` if the service asks to sign anything else, or this device has no key of the
    ///   employee; `IDENTITY_NOT_AUTHORIZED` if the session has ended or the service refuses the link.
    public func link(_ user: MPinUser, session: EmployeeSession) async -> MPinStatus {
        let states: Set<MPinUser.State> = [.startedRegistration, .activated]
        return await with(user, in: states) { (record, _) async throws(MPinFailure) in
            guard let identity = record.identityId else {
                throw MPinFailure(.flowError, "The service named no identity. Delete the user and register again.")
            }
            do {
                let call = MPinLinkCall(
                    session: session, identity: identity, mpinId: record.mpinIdBytes, regOTT: record.regOTT ?? "")
                user.name(try await call.make())
            } catch { throw MPinFailure(describing: error, of: .link) }
            guard record.state == .startedRegistration else { return }
            record.state = .activated
            try await keep(record, user)
        }
    }
}

/// The link of an identity, as it is sent first without and then with a signature.
private struct MPinLinkCall {
    /// The longest accepted lifetime of a statement: the 15 minutes of the service, plus five minutes by which this
    /// device's clock may be late.
    static let longestLife: Duration = .seconds(900 + 300)

    let session: EmployeeSession
    let identity: UUID
    let mpinId: [UInt8]
    let regOTT: String

    /// Links, and returns the employee that the service names.
    func make() async throws -> EmployeeSummaryResponse? {
        let me = try await session.me()
        var response = try await send(nil)
        if case .signatureRequired(let bytes) = response {
            guard let key = try await session.client.keyStore.key(of: session.account) else {
                throw TenureClientError(.signingRefused)
            }
            let company = try await PinnedCompany(of: session.account, on: session.client)
            guard let statement = try? MPinStatement(parsing: bytes, expecting: MPinStatement.Action.link.tag),
                statement.subject == Array(SHA256.hash(data: mpinId)), statement.identity == identity,
                statement.employee == me.employeeId, statement.context.tenant == me.tenantId,
                company.permits(statement.context, signedBy: key.publicKey),
                statement.context.expires <= Timestamp.now().adding(Self.longestLife)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await key.signature(over: statement)
            response = try await send(StatementSignature(statement: bytes, signature: signature.bytes))
        }
        guard case .done(let employee, _) = response else { throw TenureClientError(.responseInvalid) }
        return employee
    }

    private func send(_ signed: StatementSignature?) async throws -> DecisionResponse {
        let path = ["companyName": session.account.companyName, "identityId": identity.uuidString.lowercased()]
        return try await session.withAuthority { authority in
            try await session.client.call(
                .linkMPin, path, body: MPinLinkRequest(regOTT: regOTT, signed: signed), as: authority)
        }
    }
}
