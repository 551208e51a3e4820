import Canonical
import Crypto

/// The token in a page's form, without which the answer is refused.
///
/// It is an HMAC-SHA256 with the browser's cookie as the key, over the path of the form and the handle of the stored
/// request. So it is bound to the session and to the request, the server keeps nothing, and a page of another site,
/// which cannot read the cookie, cannot make one.
struct FormToken: Sendable, Equatable {
    /// The token as the form carries it, unpadded base64url.
    let text: String

    /// - Parameters:
    ///   - cookie: The value of the browser's cookie.
    ///   - path: The path that the form is sent to.
    ///   - request: The handle of the stored request; empty if the form belongs to none.
    init(cookie: String, path: String, request: String) {
        let parts = ["tenure/v1/form", path, request].map { Array($0.utf8) }
        let message = parts.flatMap { part in
            (0..<8).map { UInt8(truncatingIfNeeded: part.count >> (56 - 8 * $0)) } + part
        }
        let code = HMAC<SHA256>.authenticationCode(
            for: message, using: SymmetricKey(data: Array(cookie.utf8)))
        text = Base64URL.encode(Array(code))
    }

    /// Whether a form carries this token.
    func matches(_ sent: String?) -> Bool {
        ConstantTime.equal(Array(text.utf8), Array((sent ?? "").utf8))
    }
}
