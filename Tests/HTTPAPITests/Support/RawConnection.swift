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
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
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

    private actor Collected {
        private var bytes: [UInt8] = []
        var text: String { String(decoding: bytes, as: UTF8.self) }
        func add(_ buffer: ByteBuffer) { bytes += buffer.readableBytesView }
    }
}
