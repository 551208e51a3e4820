import NIOCore
import NIOPosix

/// A connection that sends bytes as they are, however wrong, and reads until the server closes, a text has come, or
/// patience is at an end.
struct RawConnection {
    let port: Int

    /// Sends the parts with a pause after each; answers everything that came back, and whether the server closed.
    func exchange(
        _ parts: [String], pause: Duration = .zero, until last: String? = nil, patience: Duration = .seconds(60)
    ) async throws -> (text: String, closed: Bool) {
        let channel = try await connected()
        return try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Bool?.self) { group in
                let collected = Collected()
                group.addTask {
                    do {
                        for try await buffer in inbound {
                            await collected.add(buffer)
                            if let last, await collected.text.contains(last) { return false }
                        }
                    } catch {}
                    return true
                }
                group.addTask {
                    for part in parts {
                        do { try await outbound.write(ByteBuffer(string: part)) } catch { break }
                        if pause > .zero { try await Task.sleep(for: pause) }
                    }
                    return nil
                }
                group.addTask {
                    try await Task.sleep(for: patience)
                    return false
                }
                var closed = false
                while let result = try await group.next() {
                    if let result {
                        closed = result
                        break
                    }
                }
                group.cancelAll()
                return (await collected.text, closed)
            }
        }
    }

    /// Sends a request, reads until a text has come, and runs `body` with what came while the connection stays open.
    ///
    /// What came is incomplete when the server closed before, and empty when patience was at an end.
    func holding<Value: Sendable>(
        _ request: String, until last: String, patience: Duration = .seconds(60),
        _ body: @Sendable (String) async throws -> Value
    ) async throws -> Value {
        let channel = try await connected()
        return try await channel.executeThenClose { inbound, outbound in
            try? await outbound.write(ByteBuffer(string: request))
            let text = try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    let collected = Collected()
                    do {
                        for try await buffer in inbound {
                            await collected.add(buffer)
                            if await collected.text.contains(last) { break }
                        }
                    } catch {}
                    return await collected.text
                }
                group.addTask {
                    try await Task.sleep(for: patience)
                    return ""
                }
                let first = try await group.next()
                group.cancelAll()
                return first ?? ""
            }
            return try await body(text)
        }
    }

    private func connected() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    private actor Collected {
        private var bytes: [UInt8] = []
        var text: String { String(decoding: bytes, as: UTF8.self) }
        func add(_ buffer: ByteBuffer) { bytes += buffer.readableBytesView }
    }
}
