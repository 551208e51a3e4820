public import Canonical

/// The user's personal data and credentials were erased: key and seeds are destroyed with this event or right after it.
///
/// The address, if the user still had one, is free with it.
public struct UserErased: EventPayload {
    /// The permanent name.
    public static let type = "UserErased"
    /// The user.
    public var userID: UserID
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(userID: UserID, by: Authority) {
        self.userID = userID
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "userId": userID.json,
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        by = try reader.authority()
        try reader.finish()
    }
}
