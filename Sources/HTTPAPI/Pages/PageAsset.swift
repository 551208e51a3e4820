import Canonical
import Crypto
import Embedding
import Mustache
import NIOCore

/// A file that pages load. Its address contains a hash of all files, so browsers keep it without asking again, and a
/// module imports another one by its name beside it.
enum PageAsset: String, Sendable, CaseIterable {
    case style = "pages.css"
    /// Device keys: the store of this browser, and forms that send a public key.
    case device = "device.js"
    /// The accounts that this browser has used.
    case used = "used.js"
    /// The signature over a flow's challenge.
    case flow = "flow.js"
    /// The signature over the challenge of a picked account.
    case pick = "pick.js"
    /// The accounts that this browser knows.
    case accounts = "accounts.js"
    /// Fields that are filled in from a link.
    case prefill = "prefill.js"
    /// The button that acts only when a person looks at its page.
    case arm = "arm.js"
    /// The signature over a statement.
    case renew = "renew.js"
    case sign = "sign.js"
    /// What browsers do with passkeys.
    case passkey = "passkey.js"
    /// The button that makes a passkey.
    case addpasskey = "addpasskey.js"
    /// What the browser's picker is told of passkeys, and the offer of a first one.
    case picker = "picker.js"
    /// The log-in with a passkey.
    case bypasskey = "bypasskey.js"
    /// The registration with a passkey.
    case withpasskey = "withpasskey.js"
    /// The signatures over invitations.
    case invite = "invite.js"
    /// The end of a wait, and the signature that opens its session.
    case waiting = "waiting.js"
    /// Questions that are chosen one at a time.
    case questions = "questions.js"
    /// Forms with secrets: what was typed stays in the page after a refusal.
    case send = "send.js"
    /// The word that a form waits for its turn.
    case turn = "turn.js"
    /// The way to a client.
    case answer = "answer.js"
    /// Times in the zone of the reader, and the links to other languages.
    case reader = "reader.js"
    /// Tenure's own mark, for pages of an operator without a logo.
    case mark = "mark.svg"

    var bytes: [UInt8] { EmbeddedFiles.httpAPI["Assets/\(rawValue)"] }

    /// The path of the file.
    var path: String { "/assets/\(hash)/\(rawValue)" }

    /// The first 16 bytes of the SHA-256 of all contents, as 32 hexadecimal digits.
    var hash: String { Self.hashOfAll }

    /// The file as a reply.
    var reply: Reply {
        var reply = Reply(
            headers: ["Content-Type": mediaType, "Cache-Control": "public, max-age=31536000, immutable"], body: bytes)
        reply.shared = Self.buffers[self]
        if self == .mark { reply.headers["Content-Security-Policy"] = BrandAssets.logoPolicy }
        return reply
    }

    private var mediaType: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .mark: "image/svg+xml"
        default: "text/javascript; charset=utf-8"
        }
    }

    /// The paths as templates name them: `{{asset.device}}` for the module `device.js`, and `{{asset.style}}`.
    struct Paths: MustacheParent {
        func child(named name: String) -> Any? {
            name == "style" ? PageAsset.style.path : PageAsset(rawValue: name + ".js")?.path
        }
    }

    private static let hashOfAll = {
        // Each content by its own hash, so that none can be taken for a part of another one.
        let hashes = allCases.flatMap { Array(SHA256.hash(data: $0.bytes)) }
        return Hex.encode(Array(SHA256.hash(data: hashes).prefix(16)))
    }()
    private static let buffers = Dictionary(uniqueKeysWithValues: allCases.map { ($0, ByteBuffer(bytes: $0.bytes)) })
}
