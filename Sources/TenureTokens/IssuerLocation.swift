#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The scheme, host and port of a URL, which two URLs of one origin share (RFC 6454 §4).
struct URLOrigin: Equatable {
    let scheme: String
    let host: String
    let port: Int

    /// Returns `nil` unless the components have a host, and are of https or of http on a loopback address.
    init?(_ components: URLComponents) {
        guard let scheme = components.scheme?.lowercased(), let host = components.host?.lowercased(), !host.isEmpty,
            components.user == nil, components.password == nil, components.fragment == nil,
            scheme == "https" || scheme == "http" && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = components.port ?? (scheme == "https" ? 443 : 80)
    }
}

/// Where an issuer publishes its metadata.
struct IssuerLocation {
    /// The issuer exactly as configured, and as `iss` names it.
    let issuer: String
    let origin: URLOrigin
    /// The URL of the metadata (RFC 8414 §3.1): the well-known part stands between the host and the path.
    let metadata: String

    /// - Throws: ``TokenIssuerError`` with ``TokenIssuerError/Code/configuration`` for a URL that cannot be an issuer.
    init(_ issuer: String) throws(TokenIssuerError) {
        guard issuer.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !issuer.hasSuffix("/"),
            let components = URLComponents(string: issuer), components.query == nil,
            let origin = URLOrigin(components)
        else {
            throw TokenIssuerError(
                .configuration,
                "The issuer is not usable. Give its https URL without trailing slash, query and fragment; http is"
                    + " accepted on a loopback address only.")
        }
        let path = components.percentEncodedPath
        self.issuer = issuer
        self.origin = origin
        metadata = issuer.dropLast(path.count) + "/.well-known/oauth-authorization-server" + path
    }

    /// Whether a URL may name the keys: it has the issuer's origin.
    func isOwn(_ url: String) -> Bool { URLComponents(string: url).flatMap(URLOrigin.init) == origin }
}
