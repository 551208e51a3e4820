import CCurl
import Foundation
import Synchronization

/// One GET by HTTP/1.1 (RFC 9110) on a connection of its own.
///
/// It follows no redirect and goes through no proxy. libcurl blocks, so each transfer has a thread of its own, at most 64
/// at once, and none of Swift's cooperative pool waits.
package struct HTTPTransfer: Sendable, CustomStringConvertible {
    /// The answer to a request.
    package struct Reply: Sendable {
        package var status = 0
        package var body: [UInt8] = []
        /// The value of the header `Date`, if it is there.
        package var date: String?
    }

    /// The reason why there is no answer.
    package enum Failure: Error {
        case unreachable, notTrusted, timedOut, tooLarge, unreadable
    }

    /// An address that begins with `http:` or `https:`.
    package let url: String
    /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
    package let authorityFile: String?
    /// The largest permitted number of bytes of a body.
    package let largestBody: Int
    /// The longest time that the transfer may take.
    package let patience: Duration
    /// A placeholder: the query may be a permit.
    package var description: String { "[redacted]" }

    /// Describes a transfer.
    package init(url: String, authorityFile: String?, largestBody: Int, patience: Duration) {
        self.url = url
        self.authorityFile = authorityFile
        self.largestBody = largestBody
        self.patience = patience
    }

    /// Sends the request and waits for the answer.
    package func run() async throws(Failure) -> Reply {
        let isAdmitted = Self.threads.withLock { threads in
            guard threads < 64 else { return false }
            threads += 1
            return true
        }
        guard Curl.isReady, isAdmitted else { throw .unreachable }
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let result = perform()
                Self.threads.withLock { $0 -= 1 }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// How many transfers have a thread.
    private static let threads = Mutex(0)

    private func perform() -> Result<Reply, Failure> {
        let left = patience.components
        let milliseconds = Int(left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000)
        guard milliseconds > 0 else { return .failure(.timedOut) }
        guard let handle = unsafe curl_easy_init() else { return .failure(.unreachable) }
        defer { unsafe curl_easy_cleanup(handle) }
        guard let accept = unsafe curl_slist_append(nil, "Accept: application/json") else {
            return .failure(.unreachable)
        }
        defer { unsafe curl_slist_free_all(accept) }
        let sink = Sink(largestBody: largestBody)
        let settings =
            unsafe options(handle, milliseconds) + [
                ccurl_set_list(handle, CURLOPT_HTTPHEADER, accept),
                ccurl_set_writers(
                    handle,
                    { bytes, size, count, context in
                        unsafe Sink.of(context)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                            ?? 0
                    },
                    { bytes, size, count, context in
                        unsafe Sink.of(context)?.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
                            ?? 0
                    }, Unmanaged.passUnretained(sink).toOpaque()),
            ]
        guard settings.allSatisfy({ $0 == CURLE_OK }) else { return .failure(.unreachable) }
        let result = withExtendedLifetime(sink) { unsafe curl_easy_perform(handle) }
        if sink.isTooLarge { return .failure(.tooLarge) }
        if let failure = Self.failure(result) { return .failure(failure) }
        sink.reply.status = Int(unsafe ccurl_reply(handle))
        return .success(sink.reply)
    }

    private func options(_ handle: UnsafeMutableRawPointer, _ milliseconds: Int) -> [CURLcode] {
        var codes = unsafe [
            ccurl_only_http(handle),
            ccurl_set_text(handle, CURLOPT_URL, url),
            ccurl_set_text(handle, CURLOPT_USERAGENT, "tenure"),
            ccurl_set_number(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
            // No variable of the environment sends requests over a proxy.
            ccurl_set_text(handle, CURLOPT_PROXY, ""),
            // Signals would hit other threads.
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, milliseconds),
            ccurl_exit_quickly(handle),
            ccurl_require_tls12(handle),
        ]
        if let authorityFile {
            codes.append(unsafe ccurl_set_text(handle, CURLOPT_CAINFO, authorityFile))
            codes.append(unsafe ccurl_set_text(handle, CURLOPT_CAPATH, nil))
        }
        return codes
    }

    /// The failure that a result of libcurl means; `nil` for none.
    private static func failure(_ result: CURLcode) -> Failure? {
        switch result {
        case CURLE_OK: nil
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            .notTrusted
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .unreadable
        default: .unreachable
        }
    }
}

extension HTTPTransfer {
    /// What has arrived of an answer. Only the thread of the transfer uses it.
    private final class Sink {
        let largestBody: Int
        var reply = Reply()
        private(set) var isTooLarge = false

        init(largestBody: Int) { self.largestBody = largestBody }

        static func of(_ context: UnsafeMutableRawPointer?) -> Sink? {
            unsafe context.map { unsafe Unmanaged<Sink>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Takes a part of the body. Returns how many bytes it took; fewer than it was given end the transfer.
        func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            isTooLarge = reply.body.count + bytes.count > largestBody
            guard !isTooLarge else { return 0 }
            unsafe reply.body.append(contentsOf: bytes)
            return bytes.count
        }

        /// Takes a line of the head.
        func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
            let line = unsafe String(decoding: bytes, as: UTF8.self)
            if let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "date" {
                reply.date = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
            }
            return bytes.count
        }
    }
}
