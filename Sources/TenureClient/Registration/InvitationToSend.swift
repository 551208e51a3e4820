import Canonical
import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A newly issued invitation, with the code for the invited person.
public struct InvitationToSend: Sendable, Equatable {
    /// The code that the invited person enters. It cannot be read again.
    public let invitation: String
    /// The invitation as lists show it.
    public let details: InvitationResponse
    /// The position in the tenant's ledger at which the invitation was issued.
    public let position: Int64?
}

extension TenureClient {
    /// Issues an invitation on the app's own authority. Requires a secret and a link with ADMINISTRATION.
    ///
    /// ```swift
    /// let issued = try await client.invite("1001", to: "acme.example", email: "zoe@acme.example")
    /// print(issued.invitation)
    /// ```
    ///
    /// - Parameters:
    ///   - companyEmployeeId: The id that the person shall have in the tenant.
    ///   - company: The tenant.
    ///   - email: The only address that the person may register; `nil` permits any.
    ///   - duration: The lifetime of the invitation, from a minute to 30 days.
    /// - Throws: ``TenureClientError``: `employee.already_registered` if the id is taken.
    public func invite(
        _ companyEmployeeId: String, to company: String, email: String? = nil,
        for duration: Duration = .seconds(604_800)
    ) async throws -> InvitationToSend {
        let body = InvitationRequest(
            companyEmployeeId: companyEmployeeId, email: email, expiresInSeconds: duration.components.seconds)
        let response: InvitationDecisionResponse = try await call(
            .issueInvitation, ["companyName": company], body: body)
        guard case .done(let details, let invitation, let position) = response else {
            throw TenureClientError(.responseInvalid)
        }
        return InvitationToSend(invitation: invitation, details: details, position: position)
    }

    /// Lists the open invitations of a tenant, oldest first.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func invitations(of company: String, as authority: Authority = .app) async throws -> [InvitationResponse] {
        try await call(
            .listInvitations, ["companyName": company], as: authority, PageResponse<InvitationResponse>.self
        ).items
    }

    /// Revokes an invitation on the app's own authority. Idempotent.
    ///
    /// - Throws: ``TenureClientError``, for example `invitation.invalid`.
    public func revokeInvitation(_ id: UUID, of company: String) async throws {
        let path = ["companyName": company, "invitationId": id.uuidString.lowercased()]
        guard case .done = try await call(.revokeInvitation, path, body: DecisionRequest(), DecisionResponse.self)
        else {
            throw TenureClientError(.responseInvalid)
        }
    }
}

extension EmployeeSession {
    /// Issues an invitation to this employee's tenant. This device's key signs the decision.
    ///
    /// The device signs only a statement that commits to the given names, tenant and duration.
    ///
    /// - Parameters:
    ///   - companyEmployeeId: The id that the person shall have in the tenant.
    ///   - email: The only address that the person may register; `nil` permits any.
    ///   - duration: The lifetime of the invitation, from a minute to 30 days.
    /// - Throws: ``TenureClientError``: `authorization.not_permitted`, or `employee.already_registered` if the id is
    ///   taken. ``TenureClientError/Code/signingRefused`` if the service asks to sign anything else.
    public func invite(
        _ companyEmployeeId: String, email: String? = nil, for duration: Duration = .seconds(604_800)
    ) async throws -> InvitationToSend {
        let seconds = duration.components.seconds
        let salt = Randomness.system.bytes(Commitment.saltByteCount)
        var body = InvitationRequest(
            companyEmployeeId: companyEmployeeId, email: email, expiresInSeconds: seconds, subjectSalt: salt)
        guard case .signatureRequired(let bytes) = try await send(body) else {
            throw TenureClientError(.responseInvalid)
        }
        let subject = try? Commitment.invitation(
            salt: salt, companyName: account.companyName, companyEmployeeId: companyEmployeeId, email: email)
        body.signed = try await signed(bytes, .invitationIssue) { statement in
            statement.subject == subject?.bytes && statement.seconds == seconds
        }
        guard case .done(let details, let invitation, let position) = try await send(body) else {
            throw TenureClientError(.responseInvalid)
        }
        return InvitationToSend(invitation: invitation, details: details, position: position)
    }

    /// Lists the open invitations of this employee's tenant, oldest first.
    ///
    /// - Throws: ``TenureClientError``, for example `authorization.not_permitted`.
    public func invitations() async throws -> [InvitationResponse] {
        try await withAuthority { authority in
            try await client.invitations(of: account.companyName, as: authority)
        }
    }

    /// Revokes an invitation. This device's key signs the decision. Idempotent.
    ///
    /// - Returns: The position in the tenant's ledger; `nil` if the invitation had been revoked before.
    /// - Throws: ``TenureClientError``: `invitation.invalid` if it was used or does not exist.
    @discardableResult
    public func revokeInvitation(_ id: UUID) async throws -> Int64? {
        switch try await revoke(id, DecisionRequest()) {
        case .done(_, let position): return position
        case .signatureRequired(let bytes):
            let signed = try await signed(bytes, .invitationRevocation) { $0.invitation == id }
            guard case .done(_, let position) = try await revoke(id, DecisionRequest(signed: signed)) else {
                throw TenureClientError(.responseInvalid)
            }
            return position
        }
    }

    private func send(_ body: InvitationRequest) async throws -> InvitationDecisionResponse {
        try await withAuthority { authority in
            try await client.call(
                .issueInvitation, ["companyName": account.companyName], body: body, as: authority,
                InvitationDecisionResponse.self)
        }
    }

    private func revoke(_ id: UUID, _ body: DecisionRequest) async throws -> DecisionResponse {
        let path = ["companyName": account.companyName, "invitationId": id.uuidString.lowercased()]
        return try await withAuthority { authority in
            try await client.call(.revokeInvitation, path, body: body, as: authority, DecisionResponse.self)
        }
    }

    /// Signs a statement about an invitation if it has exactly the expected content.
    private func signed(
        _ bytes: [UInt8], _ tag: SignatureTag, _ isExpected: (InvitationStatement) -> Bool
    ) async throws -> StatementSignature {
        guard let key = try await client.keyStore.key(of: account),
            let statement = try? InvitationStatement(parsing: bytes, expecting: tag), isExpected(statement),
            try await PinnedCompany(of: account, on: client).permits(statement.context, signedBy: key.publicKey),
            statement.context.expires <= Timestamp.now().adding(RoleExpectation.longestLife)
        else { throw TenureClientError(.signingRefused) }
        return StatementSignature(statement: bytes, signature: try await key.signature(over: statement).bytes)
    }
}
