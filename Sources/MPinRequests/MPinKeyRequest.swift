package import Canonical
package import FoundationEssentials

/// A signed request to a D-TA for a share of a key.
///
/// The service makes it, and whoever holds the query may send it until it expires:
///
/// ```swift
/// let request = MPinKeyRequest(
///     .clientKey(mpinIDHash: hash), tenantID: tenant, expires: .now().adding(.seconds(50)))
/// let url = "https://dta.example/clientSecret?" + request.query(signedWith: key)
/// ```
///
/// The signature is lower-case hexadecimal HMAC-SHA-256 over these lines, joined by one line feed (0x0A) each, with
/// none at the end:
///
/// ```
/// clientSecret  app_id  hash_mpin_id  hash_user_id  expires  epoch
/// serverSecret  app_id  expires  epoch
/// ```
///
/// No value can contain a line feed, so the lines are unambiguous. An absent `hash_user_id` is an empty line, an absent
/// `epoch` the line `1`. `mobile` is not signed and has no effect.
package struct MPinKeyRequest: Sendable, Equatable {
    package enum Share: Sendable, Equatable {
        /// The share of the client key of an identity.
        ///
        /// - Parameters:
        ///   - mpinIDHash: The SHA-256 of the M-Pin ID.
        ///   - userIDHash: 32 bytes that the D-TA covers by the signature and ignores, or none.
        case clientKey(mpinIDHash: [UInt8], userIDHash: [UInt8] = [])
        /// The share of the tenant's server key.
        case serverKey

        /// The path of the request, the first line of the message, and the member of the answer that holds the share.
        package var name: String {
            switch self {
            case .clientKey: "clientSecret"
            case .serverKey: "serverSecret"
            }
        }
    }

    /// The longest time that a D-TA accepts a request before it expires.
    package static let lifetime: Duration = .seconds(60)
    /// The epoch of a request that names none.
    package static let firstEpoch: UInt32 = 1

    package let share: Share
    /// The tenant, `app_id` on the wire.
    package let tenantID: UUID
    /// The epoch of the tenant's keys.
    package let epoch: UInt32
    /// The time from which on the request is refused, in whole seconds.
    package let expires: Timestamp

    /// A request. Fractions of a second of `expires` are dropped.
    package init(_ share: Share, tenantID: UUID, epoch: UInt32 = firstEpoch, expires: Timestamp) {
        self.share = share
        self.tenantID = tenantID
        self.epoch = epoch
        let part = expires.microseconds % 1_000_000
        self.expires = expires.adding(.microseconds(part < 0 ? -part - 1_000_000 : -part))
    }

    /// The query of the request with its signature, without a question mark. No value needs percent-encoding.
    package func query(signedWith key: MPinSigningKey) -> String {
        let members = members + [("signature", key.signature(of: message))]
        return members.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// The members of the query without the signature.
    private var members: [(String, String)] {
        var members = [("app_id", tenantID.lowercased), ("epoch", String(epoch)), ("expires", expiresText)]
        if case .clientKey(let mpinIDHash, let userIDHash) = share {
            members += [
                ("hash_mpin_id", Hex.encode(mpinIDHash)), ("hash_user_id", Hex.encode(userIDHash)), ("mobile", "1"),
            ]
        }
        return members
    }

    /// The signed bytes.
    package var message: [UInt8] {
        var lines = [share.name, tenantID.lowercased]
        if case .clientKey(let mpinIDHash, let userIDHash) = share {
            lines += [Hex.encode(mpinIDHash), Hex.encode(userIDHash)]
        }
        lines += [expiresText, String(epoch)]
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// `YYYY-MM-DDThh:mm:ssZ`.
    private var expiresText: String { expires.description.prefix(19) + "Z" }
}

extension MPinKeyRequest {
    /// Reads the query of a request. Returns `nil` if it is malformed in any way.
    ///
    /// Values are written as they are, without percent-encoding. Unknown, repeated and missing members are refused.
    package static func read(
        clientKey isClientKey: Bool, _ query: some StringProtocol
    ) -> (MPinKeyRequest, signature: String)? {
        guard var members = members(of: query) else { return nil }
        guard let tenant = members.removeValue(forKey: "app_id").flatMap({ UUID(lowercased: $0) }),
            let expires = members.removeValue(forKey: "expires").flatMap(time),
            let epoch = epoch(members.removeValue(forKey: "epoch")),
            let signature = members.removeValue(forKey: "signature"), signature.utf8.count == 64,
            Hex.decode(signature) != nil
        else { return nil }
        var share = Share.serverKey
        if isClientKey {
            guard let hash = members.removeValue(forKey: "hash_mpin_id").flatMap(Hex.decode), hash.count == 32,
                let user = Hex.decode(members.removeValue(forKey: "hash_user_id") ?? ""), [0, 32].contains(user.count),
                ["0", "1"].contains(members.removeValue(forKey: "mobile") ?? "0")
            else { return nil }
            share = .clientKey(mpinIDHash: hash, userIDHash: user)
        }
        guard members.isEmpty else { return nil }
        return (MPinKeyRequest(share, tenantID: tenant, epoch: epoch, expires: expires), signature)
    }

    private static func members(of query: some StringProtocol) -> [String: String]? {
        var members: [String: String] = [:]
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, members.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                return nil
            }
        }
        return members
    }

    /// Reads whole seconds of UTC.
    private static func time(_ text: String) -> Timestamp? {
        guard text.utf8.count == 20, text.utf8.last == UInt8(ascii: "Z") else { return nil }
        return Timestamp(text.dropLast() + ".000000Z")
    }

    /// Reads a number from 1 without leading zeros; an absent one is the first epoch.
    private static func epoch(_ text: String?) -> UInt32? {
        guard let text else { return firstEpoch }
        guard let epoch = UInt32(text), epoch > 0, String(epoch) == text else { return nil }
        return epoch
    }
}
