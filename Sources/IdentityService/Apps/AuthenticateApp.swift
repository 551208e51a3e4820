import Canonical
import Crypto
import FoundationEssentials
import Identity
import Ledger

/// What is stored of an app's secret: SHA-256 of tag and text. A secret has 256 random bits, so it needs no stretching.
enum AppSecretDigest {
    static func digest(of secret: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("tenure/v1/app-secret\n".utf8) + Array(secret.utf8)))
    }
}

/// Authenticates an app by one of its secrets, from the log itself: a revoked secret ends with its event.
struct AuthenticateApp: Sendable {
    let context: ServiceContext

    func run(appId: String, secret: String) async throws -> AppCaller {
        guard let id = AppID(text: appId) else { throw ServiceError(.appUnknown) }
        let app = try await StateLoader(reader: context.reader).app(id)
        guard app.state.id != nil, let salt = app.state.salt else { throw ServiceError(.appUnknown) }
        guard let digest = Bytes32(AppSecretDigest.digest(of: secret)),
            let known = app.state.secret(digest: digest)
        else { throw ServiceError(.appSecretInvalid) }
        return AppCaller(
            appId: id.uuid, secretId: known.id.uuid, roles: Set(known.roles.roles.map(CallerRole.init)),
            presented: PresentedSecret(secret: Array(secret.utf8), salt: salt.bytes))
    }
}
