import Foundation
import Glibc

/// A relay before the service that counts refreshes of sessions and loses the responses to some.
///
/// `@unchecked Sendable`: descriptor and ports never change; what changes is under `lock`.
final class RefreshRelay: @unchecked Sendable {
    private static let marker = Array("POST /v1/sessions/refresh ".utf8)

    /// The port that it listens on.
    let port: UInt16
    private let service: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var counted = 0
    private var losses = 0

    /// The address for clients.
    var url: String { "http://127.0.0.1:\(port)" }
    /// How many refreshes came so far.
    var refreshes: Int { lock.withLock { counted } }

    /// Starts a relay before the service on a port of 127.0.0.1.
    init(to service: UInt16) throws {
        self.service = service
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var (address, size) = (Self.address(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        let listens = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listens else { throw TCPConnection.Failure(description: "the relay cannot listen") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                Thread.detachNewThread { [self] in serve(client) }
            }
            close(listener)
        }
    }

    /// Stops listening.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Loses the responses to so many of the next refreshes, after the service has sent them.
    func lose(_ count: Int) { lock.withLock { losses = count } }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(upstream) }
        var address = Self.address(service)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return }
        var loses = false
        while true {
            var sockets = [client, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&sockets, 2, -1) > 0 else { return }
            if sockets[0].revents != 0 {
                guard let bytes = Self.pass(client, upstream, unless: false) else { return }
                if bytes.starts(with: Self.marker) { loses = note() }
            }
            if sockets[1].revents != 0, Self.pass(upstream, client, unless: loses) == nil { return }
        }
    }

    /// Counts a refresh. Returns whether its response is lost.
    private func note() -> Bool {
        lock.withLock {
            counted += 1
            guard losses > 0 else { return false }
            losses -= 1
            return true
        }
    }

    /// Passes on what has arrived; `nil` at the end of the connection, or if the bytes are to be lost.
    private static func pass(_ from: Int32, _ to: Int32, unless isLost: Bool) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(from, &chunk, chunk.count, 0)
        guard count > 0, !isLost else { return nil }
        var rest = chunk[..<count]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return nil }
            rest = rest.dropFirst(sent)
        }
        return Array(chunk[..<count])
    }
}
