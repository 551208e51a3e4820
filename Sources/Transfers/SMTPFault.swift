import CCurl

/// The reason why a mail server takes no mail at all. It says nothing about a mail or its recipient.
package enum SMTPFault: Sendable, Equatable {
    /// There is no host of that name.
    case hostUnknown
    /// Nobody accepts connections there.
    case unreachable
    /// Somebody accepts connections, and says nothing in time.
    case silent
    /// The server offers no STARTTLS.
    case noSTARTTLS
    /// TLS fails, or the certificate is not of the host or of a trusted authority.
    case certificate
    /// The server refuses the user, or wants one, with its reply code.
    case loginRefused(Int)
    /// The server refuses the connection in its greeting, with its reply code.
    case refused(Int)
    /// Anything else. The text is safe to log.
    case other(String)

    /// Replies about the log-in or the encryption (RFC 4954 §6, RFC 3207 §4), which no other mail would get past either.
    static let repliesAboutSettings: Set<Int> = [530, 534, 535, 538]

    /// Reads the result of libcurl and the last reply of the server; `nil` if the server may have been told of a mail.
    init?(_ result: CURLcode, reply: Int) {
        switch result {
        case _ where Self.repliesAboutSettings.contains(reply): self = .loginRefused(reply)
        case CURLE_COULDNT_RESOLVE_HOST: self = .hostUnknown
        case CURLE_COULDNT_CONNECT: self = .unreachable
        case CURLE_USE_SSL_FAILED: self = .noSTARTTLS
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER:
            self = .certificate
        case CURLE_LOGIN_DENIED: self = .loginRefused(reply)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_REMOTE_ACCESS_DENIED: self = .refused(reply)
        // Before the greeting, or before the answer to it.
        case CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
            guard reply == 0 || reply == 220 else { return nil }
            self = .silent
        default: return nil
        }
    }

    /// The result of libcurl and the last reply as a text that is safe to log.
    static func text(of result: CURLcode, reply: Int) -> String {
        let text = unsafe curl_easy_strerror(result).map { unsafe String(cString: $0) } ?? "error"
        return "libcurl \(result.rawValue): \(text), last reply \(reply)"
    }
}
