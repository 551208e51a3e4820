public import Canonical

/// A user showed that they read the mails of their address: they opened the link that was sent there.
public struct EmailVerified: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmailVerified"
    /// The user.
    public var userID: UserID
    /// The position of the event that has the verified address, in the same ledger. Another address is not verified.
    public var address: Int64

    /// The positions that JSON represents exactly.
    private static let positions = 1...(1 << 53) - 1

    /// Each parameter sets the member of the same name.
    public init(userID: UserID, address: Int64) {
        self.userID = userID
        self.address = address
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        guard Self.positions.contains(Int(address)) else { throw EventError(.invalidValue, "/data/address") }
        return .object(["userId": userID.json, "address": .integer(address)])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        address = Int64(try reader.integer("address", Self.positions))
        try reader.finish()
    }
}

extension User {
    /// The address of a user, as far as decisions need it.
    public struct Address: Sendable, Equatable {
        /// The event that has the address.
        public let place: EventPlace
        /// When the user opened the link that was sent there; `nil` before.
        public internal(set) var verifiedAt: Timestamp?
    }

    /// Decides about the link of a mail. The address has to be the one that the mail went to.
    static func verifyEmail(_ state: State, at position: Int64) throws(Rejection) -> [UserEvent] {
        guard let id = state.id, state.holdsEmail, let address = state.address, address.place.position == position
        else { throw .emailReplaced }
        return address.verifiedAt == nil ? [.emailVerified(EmailVerified(userID: id, address: position))] : []
    }
}

extension User.State {
    /// Whether the user has an address and opened the link that was sent there.
    public var isEmailVerified: Bool { holdsEmail && address?.verifiedAt != nil }
}
