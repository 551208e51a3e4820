public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A user lost the address, which is free for another person.
public struct EmailReleased: EventPayload {
    /// The permanent name.
    public static let type = "EmailReleased"
    /// The user.
    public var userID: UserID
    /// The tenant that owns the address.
    public var tenant: TenantID
    /// The `EmailReclaimed` event in that tenant's ledger.
    public var cause: UUID

    /// Makes the event.
    public init(userID: UserID, tenant: TenantID, cause: UUID) {
        self.userID = userID
        self.tenant = tenant
        self.cause = cause
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "userId": userID.json,
            "tenant": tenant.json,
            "cause": .uuid(cause),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        tenant = try reader.id("tenant")
        cause = try reader.uuid("cause")
        try reader.finish()
    }
}
