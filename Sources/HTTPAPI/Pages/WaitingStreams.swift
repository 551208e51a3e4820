import Canonical
import Crypto
import IdentityService
import ServiceLifecycle
import Synchronization
import TenureServer

/// The browsers of this process that listen for the decision about their device key.
///
/// Each cookie has one stream: a newer one ends the older one. Beyond the limit a browser gets an answer at once, and
/// asks again by itself.
final class WaitingStreams: Sendable {
    /// The time after which a stream ends. The browser opens another one.
    static let lifetime: Duration = .seconds(300)
    /// The time after which a stream sends a comment, so that nobody on the way takes it for dead.
    static let pause: Duration = .seconds(15)
    /// The time after which a stream looks whether a mail has left that was just queued.
    static let mailPause: Duration = .seconds(2)
    /// The time after which a browser beyond the limit asks again, in milliseconds.
    static let retry = 15_000

    /// The largest number of streams of this process.
    let limit: Int
    /// The number of the newest stream of each cookie, by the SHA-256 of its value.
    private let streams = Mutex<[[UInt8]: Int]>([:])
    private let number = Mutex(0)

    /// The clock that stamps looks at the log.
    fileprivate let now: @Sendable () -> Timestamp

    init(limit: Int, now: @escaping @Sendable () -> Timestamp) {
        self.limit = limit
        self.now = now
    }

    var count: Int { streams.withLock { $0.count } }

    /// The answer to a browser that waits: a stream, or within the limit of what the process serves one look.
    ///
    /// - Parameter shown: What the page says about mails; `nil` for what the view says.
    func answer(_ cookie: String, _ view: WaitView, shown: String?, _ exchange: RoutedRequest) -> Reply {
        // A proxy must not keep the events until there are many.
        let fields = ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"]
        let shown = shown ?? view.mail.word
        guard let stream = open(cookie, view, shown, exchange) else {
            let news = WaitingStream.news(view, shown) ?? ""
            return Reply(headers: fields, body: Array("retry: \(Self.retry)\n\n\(news)".utf8))
        }
        var reply = Reply(headers: fields)
        reply.pieces = stream
        return reply
    }

    /// A stream for the wait of a cookie; `nil` if there are too many.
    private func open(
        _ cookie: String, _ view: WaitView, _ shown: String, _ exchange: RoutedRequest
    ) -> WaitingStream? {
        let key = Array(SHA256.hash(data: Array(cookie.utf8)))
        let own = number.withLock { number in
            number += 1
            return number
        }
        let isOpen = streams.withLock { streams in
            guard streams[key] != nil || streams.count < limit else { return false }
            streams[key] = own
            return true
        }
        return isOpen ? WaitingStream(self, key, own, cookie, view, shown, exchange) : nil
    }

    fileprivate func isNewest(_ key: [UInt8], _ own: Int) -> Bool { streams.withLock { $0[key] == own } }

    fileprivate func close(_ key: [UInt8], _ own: Int) {
        streams.withLock { if $0[key] == own { $0[key] = nil } }
    }
}

/// The server-sent events for one waiting browser: a comment now and then, and `decided` once it may look again, or
/// `changed` if its page says what is not so any more.
final class WaitingStream: ReplyPieces {
    private let streams: WaitingStreams
    private let key: [UInt8]
    private let own: Int
    private let cookie: String
    /// What the page says about mails.
    private let shown: String
    private let exchange: RoutedRequest
    private let presence: CallerPresence?
    private let deadline: ContinuousClock.Instant
    /// What the browser knows; `nil` after the end.
    private let known: Mutex<WaitView?>
    private let hasBegun = Mutex(false)

    fileprivate init(
        _ streams: WaitingStreams, _ key: [UInt8], _ own: Int, _ cookie: String, _ view: WaitView, _ shown: String,
        _ exchange: RoutedRequest
    ) {
        self.streams = streams
        self.key = key
        self.own = own
        self.cookie = cookie
        self.shown = shown
        self.exchange = exchange
        presence = CallerPresence.current
        deadline = .now + WaitingStreams.lifetime
        known = Mutex(view)
    }

    deinit { streams.close(key, own) }

    /// The next event or comment; `nil` when the time is over, the browser left, or the service shuts down.
    func next() async -> [UInt8]? {
        guard let view = known.withLock({ $0 }), .now < deadline, streams.isNewest(key, own),
            !Task.isShuttingDownGracefully
        else { return end() }
        let isFirst = hasBegun.withLock { begun in
            defer { begun = true }
            return !begun
        }
        // The browser's own delay before it asks again, in milliseconds.
        if isFirst { return Array("retry: 3000\n\n".utf8) }
        if let news = Self.news(view, shown) { return last(news) }
        do {
            try await wait(view)
            guard !Task.isShuttingDownGracefully, streams.isNewest(key, own) else { return end() }
            var call = exchange.call
            call.time = streams.now()
            let next = try await exchange.service.run(ReadWait(cookie: cookie), call)
            if let news = Self.news(next, shown) { return last(news) }
            known.withLock { $0 = next }
            return Array(": still waiting\n\n".utf8)
        } catch {
            // The browser asks again by itself.
            return end()
        }
    }

    private func wait(_ view: WaitView) async throws {
        let read = AwaitKeyDecision(
            tenant: view.tenantID, employee: view.employeeID, fingerprint: view.fingerprint, after: view.decided,
            until: min(.now + (view.isMailFresh ? WaitingStreams.mailPause : WaitingStreams.pause), deadline))
        try await CallerPresence.$current.withValue(presence) { [service = exchange.service] in
            try await CallerPresence.whilePresent { try await service.read(read) }
        }
    }

    /// The event for a browser whose page does not say what is so any more; `nil` if it does.
    fileprivate static func news(_ view: WaitView?, _ shown: String) -> String? {
        guard let view, view.standing == .pending else { return "event: decided\ndata: look\n\n" }
        return view.mail.word == shown ? nil : "event: changed\ndata: look\n\n"
    }

    private func last(_ news: String) -> [UInt8] {
        known.withLock { $0 = nil }
        return Array(news.utf8)
    }

    private func end() -> [UInt8]? {
        known.withLock { $0 = nil }
        streams.close(key, own)
        return nil
    }
}
