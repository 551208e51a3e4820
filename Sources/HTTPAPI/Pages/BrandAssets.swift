import Canonical
import Crypto
import IdentityService

/// The files that pages load because of the operator's settings: the style with the operator's colour, and the logo.
struct BrandAssets: Sendable {
    /// The policy of an image, for whoever opens it as a document: no script of an SVG runs.
    static let logoPolicy = "sandbox; default-src 'none'"
    /// The paper of dark pages, as the style has it.
    static let darkPaper = Colour(hex: "#1b202a") ?? .white
    /// The contrast of the accent to dark paper.
    private static let darkContrast = 7.0

    let brand: Brand
    private let hash: String
    private let style: [UInt8]?

    init(_ brand: Brand) {
        self.brand = brand
        style = brand.colour.map { PageAsset.style.bytes + Array(Self.rules($0).utf8) }
        let parts = [style ?? [], brand.logo?.bytes ?? []].flatMap { Array(SHA256.hash(data: $0)) }
        hash = Hex.encode(Array(SHA256.hash(data: parts).prefix(16)))
    }

    var stylePath: String { style == nil ? PageAsset.style.path : "/assets/\(hash)/\(PageAsset.style.rawValue)" }

    /// The path of the operator's logo, or of Tenure's mark.
    var logoPath: String { brand.logo.map { "/assets/\(hash)/\(Self.file($0))" } ?? PageAsset.mark.path }

    /// The file of a path; `nil` for one that is not the operator's.
    func reply(hash: String, file: String) -> Reply? {
        guard hash == self.hash else { return nil }
        var found: (type: String, bytes: [UInt8])?
        if let style, file == PageAsset.style.rawValue { found = ("text/css; charset=utf-8", style) }
        if let logo = brand.logo, file == Self.file(logo) {
            found = (logo.isSVG ? "image/svg+xml" : "image/png", logo.bytes)
        }
        return found.map { type, bytes in
            var fields = ["Content-Type": type, "Cache-Control": "public, max-age=31536000, immutable"]
            if type.hasPrefix("image/") { fields["Content-Security-Policy"] = Self.logoPolicy }
            return Reply(headers: fields, body: bytes)
        }
    }

    private static func file(_ logo: Brand.Logo) -> String { "logo." + (logo.isSVG ? "svg" : "png") }

    /// The rules that give light and dark pages the operator's colour.
    private static func rules(_ colour: Colour) -> String {
        let light = colour.lightened(to: darkContrast, on: darkPaper).hex
        return """
            :root { --accent: \(colour.hex); --on-accent: #ffffff; }
            @media (prefers-color-scheme: dark) { :root { --accent: \(light); --on-accent: #10151c; } }

            """
    }
}
