import Foundation
import Glibc

/// A proxy before the server's Unix socket that loses a COMMIT or its answer, a number of times, and cuts connections.
public final class CuttingProxy: @unchecked Sendable {
    // Proof of @unchecked: the descriptors and paths never change after `init`; what changes is under `lock`.

    /// What is lost.
    public enum Cut: Sendable {
        /// COMMIT never reaches the server.
        case before
        /// The server's answer never reaches the client, and both connections are closed.
        case after
    }

    private let upstream: String
    private let directory: String
    private let listener: Int32
    private let lock = NSLock()
    private var cut: Cut
    private var remaining: Int
    private var open: Set<Int32> = []
    private var ended = 0

    /// A URL that leads through the proxy, made from one that names the socket's directory and port.
    public let url: String

    /// Starts a proxy that cuts `count` times.
    public init(url: String, _ cut: Cut, count: Int) throws {
        guard let parts = URLComponents(string: url), let items = parts.queryItems,
            let host = items.first(where: { $0.name == "host" })?.value, host.hasPrefix("/")
        else { throw TestServerError(description: "the proxy needs a Unix socket") }
        let port = items.first { $0.name == "port" }?.value ?? "5432"
        upstream = "\(host)/.s.PGSQL.\(port)"
        directory = "/tmp/tenure-proxy-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        self.url = url.replacingOccurrences(of: "host=\(host)", with: "host=\(directory)")
        self.cut = cut
        remaining = count
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.with("\(directory)/.s.PGSQL.\(port)", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else { throw TestServerError(description: "the proxy cannot listen") }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    // Here, because the number may belong to another socket right afterwards, which must not be accepted from.
                    close(listener)
                    return
                }
                Thread.detachNewThread { [self] in serve(client) }
            }
        }
    }

    /// Stops listening and removes the socket.
    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// How many cuts are still to come.
    public var cutsLeft: Int { lock.withLock { remaining } }

    /// How many transactions have ended, statements outside of one included.
    public var transactions: Int { lock.withLock { ended } }

    /// Cuts at the next `count` COMMITs, whatever was asked for before.
    public func cutNext(_ cut: Cut, count: Int) {
        lock.withLock {
            self.cut = cut
            remaining = count
        }
    }

    /// Cuts every connection at once, wherever it is, without a word to either side.
    public func cutConnections() {
        lock.withLock { for client in open { shutdown(client, Int32(SHUT_RDWR)) } }
    }

    private func serve(_ client: Int32) {
        lock.withLock { _ = open.insert(client) }
        // Forgotten before it is closed: the number may belong to another connection right afterwards.
        defer {
            lock.withLock { _ = open.remove(client) }
            close(client)
        }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        guard Self.with(upstream, { connect(server, $0, $1) }) == 0 else { return }
        let answers = DispatchSemaphore(value: 0)
        let isCutting = Flag()
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536), messages = Messages()
            while case let count = read(server, &buffer, buffer.count), count > 0 {
                let endings = messages.endings(in: buffer[..<count])
                if endings > 0 { lock.withLock { ended += endings } }
                // The first answer after a cut COMMIT is the one that is lost; by then the commit is done.
                if isCutting.isSet { break }
                guard Self.write(buffer[..<count], client) else { break }
            }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            answers.signal()
        }
        forward(client, server, isCutting)
        answers.wait()
    }

    private func forward(_ client: Int32, _ server: Int32, _ isCutting: Flag) {
        var buffer = [UInt8](repeating: 0, count: 65_536), commits = Commits()
        while case let count = read(client, &buffer, buffer.count), count > 0 {
            let bytes = buffer[..<count]
            if commits.found(in: bytes), let cut = takeCut() {
                isCutting.set()
                guard cut == .after else {
                    shutdown(server, Int32(SHUT_RDWR))
                    return
                }
            }
            guard Self.write(bytes, server) else { break }
        }
        if !isCutting.isSet { shutdown(server, Int32(SHUT_RDWR)) }
    }

    private func takeCut() -> Cut? {
        lock.withLock {
            guard remaining > 0 else { return nil }
            remaining -= 1
            return cut
        }
    }

    /// Where a connection commits: by a simple query, or by a statement of its own at the end of others.
    private struct Commits {
        /// The names under which COMMIT was prepared, between the zeros that stand around them in a Bind message.
        private var names: [[UInt8]] = []

        private static let simple = [UInt8(ascii: "Q"), 0, 0, 0, 11] + Array("COMMIT".utf8) + [0]
        private static let prepared = [0] + Array("COMMIT".utf8) + [0]

        /// Whether these bytes hold a COMMIT.
        mutating func found(in bytes: ArraySlice<UInt8>) -> Bool {
            let bytes = Array(bytes)
            if bytes == Self.simple { return true }
            if let place = bytes.firstRange(of: Self.prepared) {
                // A Parse message: its length, whose first byte is 0, then the name, of letters, digits and underscores.
                let name = bytes[..<place.lowerBound].reversed().prefix {
                    $0 == UInt8(ascii: "_") || (48...57).contains($0) || (97...122).contains($0)
                }
                names.append([0] + name.reversed() + [0])
            }
            return names.contains { bytes.firstRange(of: $0) != nil }
        }
    }

    /// The messages of a server, of which only the ends of transactions count: ReadyForQuery with the status `I`.
    private struct Messages {
        /// The bytes of the present message so far: its type, its length, and one byte of its content.
        private var start: [UInt8] = []
        /// How many bytes of the message are still to come.
        private var rest = 0

        /// Returns how many transactions end in these bytes.
        mutating func endings(in bytes: ArraySlice<UInt8>) -> Int {
            var endings = 0, bytes = bytes
            while let byte = bytes.first {
                guard start.count < 5 || rest > 0 else {
                    start = []
                    continue
                }
                if start.count < 5 {
                    start.append(byte)
                    bytes.removeFirst()
                    if start.count == 5 { rest = start[1...].reduce(0) { $0 << 8 | Int($1) } - 4 }
                    continue
                }
                if start[0] == UInt8(ascii: "Z"), byte == UInt8(ascii: "I") { endings += 1 }
                let taken = min(rest, bytes.count)
                bytes.removeFirst(taken)
                rest -= taken
            }
            return endings
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, _ descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8.prefix(107)) + [0]
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A flag that two threads share.
private final class Flag: @unchecked Sendable {
    // Proof of @unchecked: the value is only touched under the lock.
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
