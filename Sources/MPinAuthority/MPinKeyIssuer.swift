import Canonical
import Crypto
import MPinCryptography
import MPinRequests

/// A D-TA without its server: it answers requests for shares.
///
/// Calls block for the disk. Use them outside the cooperative thread pool.
package struct MPinKeyIssuer: Sendable {
    private let keys: MPinAuthorityKeys
    private let issued: MPinIssuedIdentities
    private let now: @Sendable () -> Timestamp

    /// An issuer with the keys and the list of one directory.
    init(
        keys: MPinAuthorityKeys, issued: MPinIssuedIdentities, now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.keys = keys
        self.issued = issued
        self.now = now
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - method: The method of HTTP.
    ///   - target: The path and the query as they were received.
    package func answer(method: String, target: String) -> MPinAuthorityAnswer {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? parts[1] : nil
        switch parts.first ?? "" {
        case "/healthz" where query == nil: return method == "GET" ? .healthy : .methodNotAllowed
        case "/clientSecret": return method == "GET" ? share(ofClientKey: true, query ?? "") : .methodNotAllowed
        case "/serverSecret": return method == "GET" ? share(ofClientKey: false, query ?? "") : .methodNotAllowed
        default: return .notFound
        }
    }

    private func share(ofClientKey isClientKey: Bool, _ query: Substring) -> MPinAuthorityAnswer {
        guard let (request, signature) = MPinKeyRequest.read(clientKey: isClientKey, query) else { return .malformed }
        // First the signature: without the key, nobody learns anything about times or identities.
        guard keys.signing.verifies(signature, of: request.message) else { return .signatureInvalid }
        let time = now()
        guard time < request.expires, request.expires <= time.adding(MPinKeyRequest.lifetime) else { return .expired }
        do throws(MPinCryptographyError) {
            switch request.share {
            case .serverKey:
                let master = try keys.master.share(tenantID: request.tenantID.bytes, epoch: request.epoch)
                return .share("serverSecret", master.serverKeyShare().encoded)
            case .clientKey(let hash, _):
                // Everything that can fail comes before the identity is written down.
                let identity = try MPinIdentityPoint(digest: hash)
                let master = try keys.master.share(tenantID: request.tenantID.bytes, epoch: request.epoch)
                // Neighbouring digests give the same point, so the list is of points.
                let point = Array(SHA256.hash(data: identity.encoded))
                switch issued.admit(point, at: time) {
                case .permitted: return .share("clientSecret", master.clientKeyShare(for: identity).encoded)
                case .closed: return .closed
                case .unavailable: return .unavailable
                }
            }
        } catch {
            return .malformed
        }
    }
}

/// The answer of a D-TA: a status of HTTP and a JSON object. A refusal holds nothing but its message.
package struct MPinAuthorityAnswer: Sendable, Equatable {
    /// The status of HTTP.
    package let status: Int
    /// The JSON object.
    package let body: [UInt8]

    private init(_ status: Int, _ object: JSONValue) {
        self.status = status
        body = object.canonicalBytes()
    }

    private init(refusing status: Int, _ message: String) { self.init(status, ["message": .string(message)]) }

    static func share(_ name: String, _ encoded: [UInt8]) -> MPinAuthorityAnswer {
        MPinAuthorityAnswer(200, .object([name: .string(Hex.encode(encoded)), "message": "OK"]))
    }

    static let healthy = MPinAuthorityAnswer(200, ["status": "ok"])
    static let malformed = MPinAuthorityAnswer(refusing: 400, "REQUEST_INVALID")
    static let signatureInvalid = MPinAuthorityAnswer(refusing: 403, "SIGNATURE_INVALID")
    static let notFound = MPinAuthorityAnswer(refusing: 404, "NOT_FOUND")
    static let methodNotAllowed = MPinAuthorityAnswer(refusing: 405, "METHOD_NOT_ALLOWED")
    static let expired = MPinAuthorityAnswer(refusing: 408, "REQUEST_EXPIRED")
    static let closed = MPinAuthorityAnswer(refusing: 410, "IDENTITY_CLOSED")
    static let unavailable = MPinAuthorityAnswer(refusing: 503, "UNAVAILABLE")
}
