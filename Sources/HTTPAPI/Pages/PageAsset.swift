import Canonical
import Crypto
import NIOCore

/// A file that pages load. Its address contains a hash of its content, so browsers keep it without asking again.
enum PageAsset: String, Sendable, CaseIterable {
    case style = "pages.css"

    /// The content.
    var bytes: [UInt8] {
        switch self {
        case .style: PackageResources.pages_css
        }
    }

    /// The path of the file.
    var path: String { "/assets/\(hash)/\(rawValue)" }

    /// The first 16 bytes of the SHA-256 of the content, as 32 hexadecimal digits.
    var hash: String { Self.hashes[self] ?? "" }

    /// The file as a reply.
    var reply: Reply {
        var reply = Reply(
            headers: ["Content-Type": mediaType, "Cache-Control": "public, max-age=31536000, immutable"], body: bytes)
        reply.shared = Self.buffers[self]
        return reply
    }

    private var mediaType: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        }
    }

    private static let hashes = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Hex.encode(Array(SHA256.hash(data: $0.bytes).prefix(16)))) })
    private static let buffers = Dictionary(uniqueKeysWithValues: allCases.map { ($0, ByteBuffer(bytes: $0.bytes)) })
}
