public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An open grant of a client: what a log-in with OpenID Connect gave it.
public struct GrantResponse: Sendable, Equatable, ResponseObject {
    /// The id of the grant.
    public var grantId: UUID
    /// The id of the client, which is an app.
    public var clientId: UUID
    /// The name that the operator gave the client.
    public var clientName: String
    /// What the client learns, as names of scopes.
    public var scopes: [String]
    /// The time when the client got the grant.
    public var openedAt: Timestamp
    /// The time when the client got its newest tokens.
    public var usedAt: Timestamp
    /// The time when the grant ends at the latest.
    public var expiresAt: Timestamp
    /// Whether the grant outlives the session in which the person logged in: the scope `offline_access`.
    public var isLasting: Bool

    package init(
        grantId: UUID, clientId: UUID, clientName: String, scopes: [String], openedAt: Timestamp, usedAt: Timestamp,
        expiresAt: Timestamp, isLasting: Bool
    ) {
        self.grantId = grantId
        self.clientId = clientId
        self.clientName = clientName
        self.scopes = scopes
        self.openedAt = openedAt
        self.usedAt = usedAt
        self.expiresAt = expiresAt
        self.isLasting = isLasting
    }

    /// The members on the wire.
    public static let members = WireMembers<GrantResponse>(
        "GrantResponse", GrantResponse.init, Member("grantId", \.grantId), Member("clientId", \.clientId),
        Member("clientName", \.clientName), Member("scopes", \.scopes, .list()), Member("openedAt", \.openedAt),
        Member("usedAt", \.usedAt), Member("expiresAt", \.expiresAt), Member("isLasting", \.isLasting))
}
