import Canonical
import ErrorCodes
import IdentityService

extension Reply {
    /// The reply as it is kept for a repeated call.
    var stored: StoredReply {
        StoredReply(status: status, headers: headers, body: String(decoding: body, as: UTF8.self))
    }

    /// The reply of an earlier call.
    init(_ stored: StoredReply) {
        self.init(status: stored.status, headers: stored.headers, body: Array(stored.body.utf8))
        isRepeated = true
        guard status >= 400, case .string(let code)? = (try? StrictJSON.parse(body))?["code"] else { return }
        // The label of a metric, so nothing but a code that this version knows.
        self.code = ErrorCode(rawValue: code)?.rawValue
    }
}
