import Foundation

/// An open connection to a server on loopback, which takes forms by HTTP/1.1, one after the other.
///
/// The program has no other client that is as cheap. Its work would take processor time from the server.
actor LoopbackConnection {
    /// What the server answers.
    struct Reply: Sendable {
        let status: Int
        let head: String
        let body: String

        /// The value of the first header field of that name.
        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.utf8.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    private let stream: FileHandle
    private let port: Int
    private let queue: DispatchQueue

    init(port: Int) throws {
        self.port = port
        queue = DispatchQueue(label: "connection")
        #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, status == 0 else { throw BenchError("nothing listens on port \(port)") }
        stream = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Reads a page.
    func get(_ path: String) async throws -> Reply { try await send("GET \(path) HTTP/1.1\r\n", body: "") }

    /// Sends a form.
    func post(_ path: String, _ fields: [(name: String, value: String)], cookie: String) async throws -> Reply {
        // Tokens and base64url have no character that a form would write otherwise.
        let body = fields.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return try await send(
            "POST \(path) HTTP/1.1\r\nCookie: \(cookie)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(body.utf8.count)\r\n", body: body)
    }

    private func send(_ head: String, body: String) async throws -> Reply {
        let request = Data("\(head)Host: 127.0.0.1:\(port)\r\n\r\n\(body)".utf8), stream = stream
        // A queue of its own, because reading blocks a thread.
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Reply, any Error>) in
            queue.async {
                continuation.resume(
                    with: Result {
                        try stream.write(contentsOf: request)
                        return try Self.read(stream)
                    })
            }
        }
    }

    /// Reads one reply, whose length its head tells.
    private static func read(_ stream: FileHandle) throws -> Reply {
        var received = Data()
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = received.range(of: end) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                let length = Reply(status: 0, head: head, body: "").field("Content-Length").flatMap { Int($0) }
                guard let status, let length else {
                    throw BenchError("the server does not tell how long its answer is:\n\(head)")
                }
                while received.count < range.upperBound + length { try more(stream, &received) }
                return Reply(
                    status: status, head: head, body: String(decoding: received[range.upperBound...], as: UTF8.self))
            }
            try more(stream, &received)
        }
    }

    private static func more(_ stream: FileHandle, _ received: inout Data) throws {
        let data = stream.availableData
        guard !data.isEmpty else { throw BenchError("the server has closed a connection") }
        received += data
    }
}
