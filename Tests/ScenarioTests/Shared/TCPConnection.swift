import Foundation
import Glibc

/// One TCP connection to the service under test, for exact bytes and for connections that are cut.
///
/// A client library would repair, reorder and retry; these tests say themselves what goes over the wire and when it
/// stops. Every call blocks, so it runs on a thread of its own.
struct TCPConnection: Sendable {
    /// Why a connection could not be used.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// When the caller goes away without reading the reply.
    enum Cut: Sendable {
        /// So many milliseconds after the last byte was sent.
        case afterSending(milliseconds: UInt32)
        /// When the reply has arrived: the work is done and its answer is lost.
        case whenReplyArrives
    }

    private let descriptor: Int32

    /// Sends bytes and reads until the service closes.
    static func exchange(_ bytes: [UInt8], port: UInt16) async throws -> [UInt8] {
        try await onThread {
            let connection = try TCPConnection(port: port)
            defer { Glibc.close(connection.descriptor) }
            try connection.send(bytes)
            return try connection.readToEnd()
        }
    }

    /// Sends bytes and cuts the connection with a reset, reading nothing.
    static func send(_ bytes: [UInt8], port: UInt16, cut: Cut) async throws {
        try await onThread {
            let connection = try TCPConnection(port: port)
            defer { Glibc.close(connection.descriptor) }
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                connection.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            try connection.send(bytes)
            switch cut {
            case .afterSending(let milliseconds): usleep(milliseconds * 1_000)
            case .whenReplyArrives:
                var poll = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
                guard Glibc.poll(&poll, 1, 120_000) == 1 else { throw Failure(description: "no reply to lose") }
            }
        }
    }

    /// A port of 127.0.0.1 that nobody listened on a moment ago.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let done = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard done else { throw Failure(description: "no port is free") }
        return UInt16(bigEndian: address.sin_port)
    }

    private init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            let reason = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw Failure(description: "cannot connect: \(reason)")
        }
        var timeout = timeval(tv_sec: 180, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // A service that refuses early closes before everything was read; its reply still counts.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func readToEnd() throws -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { received += buffer[..<count] }
            if count == 0 { return received }
            if count < 0 {
                guard received.isEmpty else { return received }
                throw Failure(description: "no reply: \(String(cString: strerror(errno)))")
            }
        }
    }

    private static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
        }
    }
}
