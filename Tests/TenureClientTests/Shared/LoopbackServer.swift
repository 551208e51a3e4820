import Foundation

/// A listener on 127.0.0.1 that takes one request for each connection and answers with fixed bytes.
///
/// `@unchecked Sendable`: the descriptor and the port never change; what is recorded is under `lock`.
final class LoopbackServer: @unchecked Sendable {
    /// The port that it listens on.
    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var recorded: [[UInt8]] = []

    /// What the connections sent, one entry for each connection.
    var received: [[UInt8]] { lock.withLock { recorded } }

    /// Answers every connection with these bytes in pieces of `piece` bytes; none closes it at once.
    init(_ answer: String = "", piece: Int = .max) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listens else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread { [self] in serve(connection, Array(answer.utf8)[...], piece) }
            }
            close(listener)
        }
    }

    /// Stops listening.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ connection: Int32, _ answer: ArraySlice<UInt8>, _ piece: Int) {
        defer { close(connection) }
        let number = lock.withLock {
            recorded.append([])
            return recorded.count - 1
        }
        var (chunk, request) = ([UInt8](repeating: 0, count: 65_536), [UInt8]())
        while !Self.isWhole(request) {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            request += chunk[..<count]
            lock.withLock { recorded[number] = request }
            if answer.isEmpty { return }
        }
        var rest = answer
        while !rest.isEmpty {
            let part = Array(rest.prefix(piece))
            guard send(connection, part, part.count, Int32(MSG_NOSIGNAL)) == part.count else { return }
            rest = rest.dropFirst(part.count)
        }
    }

    /// Whether the bytes are a head and the body that it announces.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text[..<end.lowerBound].split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}
