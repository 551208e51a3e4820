/// An application that calls the service.
public enum App: Decider {
    /// What happens to an app.
    public typealias Event = AppEvent

    /// What is known of an app.
    public struct State: Sendable, Equatable {
        /// The app, once registered.
        public internal(set) var id: AppID?
        /// The name that operators see.
        public internal(set) var name: String?
        /// The salt of what is derived from the app's secrets.
        public internal(set) var salt: Bytes32?
        /// Every secret ever issued.
        public internal(set) var secrets: [SecretID: Secret] = [:]

        /// The secret in force whose digest is given.
        ///
        /// All digests are compared in full, so the time taken says nothing about which bytes agree.
        public func secret(digest: Bytes32) -> Secret? {
            var found: Secret?
            for secret in secrets.values where !secret.isRevoked {
                let difference = zip(secret.digest.bytes, digest.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
                if difference == 0 { found = secret }
            }
            return found
        }
    }

    /// A secret of an app; the secret itself is not known.
    public struct Secret: Sendable, Equatable {
        /// The secret.
        public let id: SecretID
        /// What it may be used for.
        public let roles: RoleSet
        /// What a presented secret is compared with.
        public let digest: Bytes32
        /// The public half of the key that the app vouches with.
        public let authorityKey: PublicKeyBytes
        /// The event that issued it.
        public let issued: EventPlace
        /// Whether it ended.
        public internal(set) var isRevoked = false
    }

    /// What somebody wants of an app.
    public enum Command: Sendable, Equatable {
        /// Make the app.
        case register(AppID, name: String, salt: Bytes32)
        /// Give the app a secret.
        case issueSecret(SecretID, roles: RoleSet, digest: Bytes32, authorityKey: PublicKeyBytes)
        /// End a secret.
        case revokeSecret(SecretID)
    }

    /// Why a command is refused.
    public enum Rejection: CodedRejection, CaseIterable {
        /// The app exists.
        case alreadyRegistered
        /// There is no such app.
        case unknownApp
        /// The app has no such secret.
        case unknownSecret
        /// The app has another secret of that identifier.
        case secretExists
        /// A name has 1 to 256 bytes and no NUL.
        case invalidName

        /// The code of the contract.
        public var code: String {
            switch self {
            case .alreadyRegistered, .secretExists, .invalidName: "request.invalid"
            case .unknownApp: "app.unknown"
            case .unknownSecret: "app.secret_invalid"
            }
        }
    }

    /// Nothing is known.
    public static let initial = State()
}
