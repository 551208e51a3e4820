import HTTPLimits
import TenureAPI

/// The media type that the body of a call must declare.
enum MediaType: String, Sendable {
    case json = "application/json"
    case form = "application/x-www-form-urlencoded"

    /// Refuses a body that is not declared as this type in UTF-8, or that has a content coding.
    ///
    /// - Throws: `request.media_type`, with the accepted type in `Accept-Post`, `Accept-Patch` or `Accept`, or the
    ///   accepted coding in `Accept-Encoding` (RFC 9110 §15.5.16, RFC 5789 §2.2, RFC 7694).
    func require(_ headers: RequestHeaders, method: String) throws(Refusal) {
        guard headers.reader("Content-Encoding").elements.allSatisfy({ $0.lowercased() == "identity" }) else {
            throw .mediaType(
                .header("Content-Encoding"),
                "compressed bodies are not accepted; send the body without a content coding",
                accepts: ("Accept-Encoding", "identity"))
        }
        _ = try headers.single("Content-Type")
        guard let sent = headers.reader("Content-Type").mediaType, sent.type == rawValue,
            sent.parameters.allSatisfy({ $0.name == "charset" && $0.value.lowercased() == "utf-8" })
        else {
            let name = ["POST": "Accept-Post", "PATCH": "Accept-Patch"][method] ?? "Accept"
            throw .mediaType(.header("Content-Type"), "\(rawValue) is expected", accepts: (name, rawValue))
        }
    }
}
