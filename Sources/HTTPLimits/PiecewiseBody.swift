package import HummingbirdCore
package import NIOCore

extension ConnectionTable {
    /// The bytes that are written at once.
    package static let pieceBytes = 16 * 1_024

    /// Returns a body that is written in pieces of 16 KB. Each waits until the channel takes it and the connection has
    /// room, so that a client that reads slowly leaves no more than a few pieces unsent. One piece waits here.
    ///
    /// - Parameters:
    ///   - buffer: The bytes.
    ///   - isShared: Whether many replies share the bytes, so that one that waits takes no memory for them.
    ///   - channel: The channel of the connection or of the stream.
    ///   - afterwards: Called once the last byte was written.
    package func body(
        of buffer: ByteBuffer, isShared: Bool, on channel: any Channel,
        afterwards: (@Sendable () async -> Void)? = nil
    ) async -> ResponseBody {
        let (id, writer) = Self.numbers(of: channel)
        guard buffer.readableBytes > Self.pieceBytes || afterwards != nil else {
            await room(for: buffer.readableBytes, on: channel)
            return ResponseBody(byteBuffer: buffer)
        }
        return ResponseBody(contentLength: buffer.readableBytes) { [self] output in
            var rest = buffer, held = isShared ? 0 : buffer.readableBytes
            holds(held, on: id)
            defer { holds(-held, on: id) }
            while let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes)),
                piece.readableBytes > 0
            {
                await room(for: piece.readableBytes, on: channel)
                do {
                    try await output.write(piece)
                } catch {
                    passed(piece.readableBytes, by: writer, on: id)
                    throw error
                }
                if !isShared {
                    holds(-piece.readableBytes, on: id)
                    held -= piece.readableBytes
                }
            }
            try await output.finish(nil)
            await afterwards?()
        }
    }

    /// Waits for room, and gives it back if the channel has ended meanwhile: nothing of it will be written.
    private func room(for bytes: Int, on channel: any Channel) async {
        let (id, writer) = Self.numbers(of: channel)
        await room(for: bytes, by: writer, on: id)
        if !channel.isActive { passed(by: writer, on: id) }
    }

    /// The numbers of a channel's connection and of the channel itself.
    private static func numbers(of channel: any Channel) -> (connection: ID, writer: ID) {
        let connection = channel.parent?.parent == nil ? channel : channel.parent ?? channel
        return (ObjectIdentifier(connection), ObjectIdentifier(channel))
    }
}
