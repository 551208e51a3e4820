import Hummingbird
import NIOCore

/// What a request knows of the connection that it came over.
struct ConnectionContext: InitializableFromSource {
    /// The address of the peer as text, without a port.
    let peer: String?
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress
    }

    /// Stops reading, so that a body that was refused does not go on arriving.
    func stopReading() async {
        // Layers that cannot close one half (TLS, HTTP/2) are closed as a whole; the response was flushed before.
        do { try await channel.close(mode: .input) } catch { try? await channel.close() }
    }
}
