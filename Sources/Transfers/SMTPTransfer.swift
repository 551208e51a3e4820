import CCurl

/// One mail on one connection; blocks its thread.
struct SMTPTransfer {
    let server: SMTPServer
    let message: SMTPMessage

    /// The bytes of a message, as libcurl asks for them.
    private final class Source {
        let bytes: [UInt8]
        private(set) var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// Whether the server has asked for the message.
        private(set) var isStarted = false

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            isStarted = true
            let end = min(offset + buffer.count, bytes.count)
            unsafe buffer.copyBytes(from: bytes[offset..<end])
            defer { offset = end }
            return end - offset
        }
    }

    /// Sends the mail.
    func run() -> SMTPOutcome {
        guard let handle = unsafe curl_easy_init() else { return .undelivered("libcurl has no handle") }
        defer { unsafe curl_easy_cleanup(handle) }
        guard let recipients = unsafe curl_slist_append(nil, "<\(message.recipient)>") else {
            return .undelivered("libcurl has no memory")
        }
        defer { unsafe curl_slist_free_all(recipients) }
        let source = Source(message.content)
        let settings = unsafe [
            ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
            ccurl_set_reader(
                handle,
                { buffer, size, count, context in
                    guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
                    let source = unsafe Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                    return unsafe source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                }, Unmanaged.passUnretained(source).toOpaque()),
        ]
        let codes =
            unsafe settings + server.options(handle) + [
                ccurl_set_text(handle, CURLOPT_MAIL_FROM, "<\(message.sender)>"),
                ccurl_set_number(handle, CURLOPT_UPLOAD, 1),
            ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { return .undelivered("libcurl refused an option") }
        let result = withExtendedLifetime(source) { unsafe curl_easy_perform(handle) }
        return outcome(result, reply: Int(unsafe ccurl_reply(handle)), isContentAsked: source.isStarted)
    }

    /// Reads the result of libcurl and the last reply of the server.
    ///
    /// A reply counts as one about the mail only from `MAIL` on. A server that takes nobody in its greeting, or a
    /// log-in that is refused, is the operator's to mend, and the mail waits.
    private func outcome(_ result: CURLcode, reply: Int, isContentAsked: Bool) -> SMTPOutcome {
        if result == CURLE_OK { return .accepted }
        let text = SMTPFault.text(of: result, reply: reply)
        if !isContentAsked, SMTPFault(result, reply: reply) != nil { return .unreached(text) }
        let isAboutMail =
            result == CURLE_SEND_ERROR || (isContentAsked && result != CURLE_OPERATION_TIMEDOUT)
        if isAboutMail, !SMTPFault.repliesAboutSettings.contains(reply) {
            switch reply {
            case 400...499: return .temporarilyRefused(reply)
            case 500...599: return .permanentlyRefused(reply)
            default: break
            }
        }
        return .undelivered(text)
    }
}

/// A connection to a mail server with its greeting, encryption and log-in, as a mail has it. No mail is sent.
struct SMTPCheck {
    let server: SMTPServer

    /// Connects, and returns why no mail could be sent; `nil` if one could. Blocks its thread.
    func run() -> SMTPFault? {
        guard let handle = unsafe curl_easy_init() else { return .other("libcurl has no handle") }
        defer { unsafe curl_easy_cleanup(handle) }
        let codes = unsafe server.options(handle) + [ccurl_set_number(handle, CURLOPT_CONNECT_ONLY, 1)]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { return .other("libcurl refused an option") }
        let result = unsafe curl_easy_perform(handle), reply = Int(unsafe ccurl_reply(handle))
        guard result != CURLE_OK else { return nil }
        return SMTPFault(result, reply: reply) ?? .other(SMTPFault.text(of: result, reply: reply))
    }
}

extension SMTPServer {
    /// Sets what every connection to the server has.
    fileprivate func options(_ handle: UnsafeMutableRawPointer) -> [CURLcode] {
        let components = patience.components
        let milliseconds = Int(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
        var codes = unsafe [
            ccurl_only_smtp(handle),
            ccurl_set_text(handle, CURLOPT_URL, url),
            // No variable of the environment sends mails over a proxy.
            ccurl_set_text(handle, CURLOPT_PROXY, ""),
            // Signals would hit other threads.
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 10_000)),
            ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds),
            ccurl_exit_quickly(handle),
            ccurl_require_tls12(handle),
        ]
        if security == .startTLS { codes.append(unsafe ccurl_require_starttls(handle)) }
        if let file = authorityFile {
            codes.append(unsafe ccurl_set_text(handle, CURLOPT_CAINFO, file))
            codes.append(unsafe ccurl_set_text(handle, CURLOPT_CAPATH, nil))
        }
        if let login {
            codes.append(unsafe ccurl_set_text(handle, CURLOPT_USERNAME, login.user))
            codes.append(unsafe ccurl_set_text(handle, CURLOPT_PASSWORD, login.password))
        }
        return codes
    }
}
