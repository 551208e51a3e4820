#if canImport(FoundationNetworking)
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One request and its response over HTTP/1.1 in clear text, on a connection of its own that passes no proxy.
///
/// FoundationNetworking sends every request to the proxy that `http_proxy` or `all_proxy` names, and has no setting
/// against it.
struct ClearTextExchange: Sendable {
    /// Why there is no response.
    struct Failure: Error {
        /// The call that failed, and the system's reason.
        let reason: String

        init(_ call: String) { reason = "\(call): \(String(cString: strerror(errno)))" }
        init(reason: String) { self.reason = reason }
    }

    private let bytes: [UInt8]
    private let method: String
    private let host: String
    private let port: String
    /// The longest time without progress, in milliseconds.
    private let patience: Int32

    /// An exchange that has not begun.
    ///
    /// - Throws: ``TenureClientError/Code/addressInvalid`` if a header field or the method would break the request.
    init(_ request: WireRequest, _ url: URL, timeout: Double) throws(TenureClientError) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false), var host = parts.host,
            Self.isToken(request.method), request.headers.allSatisfy({ Self.isToken($0) && Self.isValue($1) })
        else { throw TenureClientError(.addressInvalid) }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        let name = host.contains(":") ? "[\(host)]" : host
        guard Self.isValue(target), Self.isValue(name), !target.contains(" "), !name.contains(" ") else {
            throw TenureClientError(.addressInvalid)
        }
        self.host = host
        method = request.method
        port = String(parts.port ?? 80)
        patience = Int32(max(1, min(timeout, 86_400)) * 1_000)
        var head = "\(request.method) \(target) HTTP/1.1\r\n"
        head += "Host: \(name)\(parts.port.map { ":\($0)" } ?? "")\r\nConnection: close\r\n"
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
        if request.body != nil || request.method != "GET" {
            head += "Content-Length: \(request.body?.count ?? 0)\r\n"
        }
        bytes = Array((head + "\r\n").utf8) + (request.body ?? [])
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
    }

    private static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

    /// Sends the request and waits for the response on a thread of its own. Cancellation ends the wait, except for the
    /// addresses of a host's name.
    ///
    /// - Throws: ``Failure`` if there is no complete response; ``TenureClientError/Code/responseInvalid``;
    ///   `CancellationError`.
    func run() async throws -> WireResponse {
        let line = Line()
        return try await withTaskCancellationHandler {
            do {
                return try await BlockingWork.run { try exchange(over: line) }
            } catch {
                try Task.checkCancellation()
                throw error
            }
        } onCancel: {
            line.cut()
        }
    }

    private func exchange(over line: Line) throws -> WireResponse {
        try connect(line)
        defer { line.close() }
        try send(line)
        var reader = HTTPResponseReader(isHead: method == "HEAD", maximumBytes: URLSessionExchanges.maximumBytes)
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let events = try line.wait(for: POLLIN, patience)
            guard events != 0 else { throw Failure(reason: "the response took too long") }
            let count = chunk.withUnsafeMutableBytes { recv(line.descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Failure("recv") }
            if let response = try count == 0 ? reader.end() : reader.read(chunk[..<count]) { return response }
            guard count > 0 else { throw Failure(reason: "the connection ended before the response") }
        }
    }

    /// Tries the host's addresses in their order.
    private func connect(_ line: Line) throws {
        var hints = addrinfo()
        hints.ai_socktype = streamSocket
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, port, &hints, &found)
        guard result == 0 else { throw Failure(reason: "getaddrinfo: \(String(cString: gai_strerror(result)))") }
        defer { freeaddrinfo(found) }
        var failure = Failure(reason: "the host has no address")
        var next = found
        while let address = next?.pointee {
            do throws(Failure) { return try connect(line, address) } catch { failure = error }
            next = address.ai_next
        }
        throw failure
    }

    private func connect(_ line: Line, _ address: addrinfo) throws(Failure) {
        let descriptor = socket(address.ai_family, streamSocket | socketFlags, address.ai_protocol)
        guard descriptor >= 0 else { throw Failure("socket") }
        guard line.open(descriptor) else { throw Failure(reason: "cancelled") }
        do throws(Failure) {
            if connectSocket(descriptor, address) == 0 { return }
            guard errno == EINPROGRESS || errno == EINTR else { throw Failure("connect") }
            guard try line.wait(for: POLLOUT, patience) != 0 else { throw Failure(reason: "no connection in time") }
            var number: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
            errno = number
            guard number == 0 else { throw Failure("connect") }
        } catch {
            line.close()
            throw error
        }
    }

    /// Sends the request, unless the service answers before it has all of it.
    private func send(_ line: Line) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let events = try line.wait(for: POLLOUT | POLLIN, patience)
            guard events != 0 else { throw Failure(reason: "the service takes no bytes") }
            if events & Int16(POLLOUT) == 0 { return }
            let count = rest.withUnsafeBytes {
                sendBytes(line.descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // The service has closed its end. A response may have arrived before.
            guard count >= 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// The socket of an exchange, which another thread may cut.
private final class Line: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var isCut = false
    }

    private let state = Mutex(State())

    var descriptor: Int32 { state.withLock { $0.descriptor } }

    /// Takes over a socket. Returns `false`, and closes it, if the line is cut.
    func open(_ descriptor: Int32) -> Bool {
        let isOpen = state.withLock { state in
            guard !state.isCut else { return false }
            state.descriptor = descriptor
            return true
        }
        if !isOpen { _ = closeSocket(descriptor) }
        return isOpen
    }

    func close() {
        state.withLock { state in
            if state.descriptor >= 0 { _ = closeSocket(state.descriptor) }
            state.descriptor = -1
        }
    }

    /// Ends every wait of the thread that uses the socket.
    func cut() {
        state.withLock { state in
            state.isCut = true
            if state.descriptor >= 0 { _ = shutdown(state.descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Waits until the socket is ready. Returns what it is ready for; 0 after `patience` milliseconds.
    func wait(for events: Int32, _ patience: Int32) throws(ClearTextExchange.Failure) -> Int16 {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = pollSocket(&poll, patience)
            if count >= 0 { return count == 0 ? 0 : poll.revents }
            guard errno == EINTR else { throw ClearTextExchange.Failure("poll") }
        }
    }
}

// The C libraries import some constants with different types.
#if canImport(Glibc)
private let streamSocket = Int32(SOCK_STREAM.rawValue)
private let socketFlags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
#else
private let streamSocket = SOCK_STREAM
private let socketFlags = SOCK_CLOEXEC | SOCK_NONBLOCK
#endif

// The functions of the system under other names, because the methods above hide them.
private func closeSocket(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func connectSocket(_ descriptor: Int32, _ address: addrinfo) -> Int32 {
    connect(descriptor, address.ai_addr, address.ai_addrlen)
}
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
}
private func pollSocket(_ socket: inout pollfd, _ patience: Int32) -> Int32 { poll(&socket, 1, patience) }
#endif
