import Foundation

/// Whose pages and mails the service serves, as the operator has set it. Without settings they are Tenure's.
package struct Brand: Sendable, Equatable {
    /// The operator's name, which stands on every page and is the sender of mails.
    package var name = "Tenure"
    package var logo: Logo?
    /// The colour of links and buttons; `nil` for Tenure's.
    package var colour: Colour?
    /// How people reach the operator: an address with `https:` or `mailto:`.
    package var contact: String?
    /// The operator's imprint.
    package var imprint: String?
    /// What the operator says about privacy.
    package var privacy: String?

    /// The colour of pages and mails of an operator who set none.
    static let tenureColour = "#1e4d8c"

    package init() {}

    /// Whether a text can be the operator's name: 1 to 40 characters without line ends, controls and marks of direction.
    package static func isName(_ text: String) -> Bool {
        let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        return (1...40).contains(text.count)
            && !text.unicodeScalars.contains { hidden.contains($0.properties.generalCategory) }
    }

    /// Whether a text can be a link of the operator: an address of `https:` or `mailto:` in visible ASCII.
    package static func isLink(_ text: String) -> Bool {
        let isPlain = text.utf8.count <= 512 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
        guard isPlain, let url = URL(string: text) else { return false }
        return switch url.scheme {
        case "https": url.host?.isEmpty == false && url.user == nil
        case "mailto": text.dropFirst("mailto:".count).contains("@")
        default: false
        }
    }

    /// A logo: a PNG, or an SVG, which pages show as an image only, so that no script in it runs.
    package struct Logo: Sendable, Equatable {
        /// The largest number of bytes.
        package static let limit = 32_768

        package let bytes: [UInt8]
        package let isSVG: Bool

        /// - Returns: `nil` for another kind of file, and for one beyond ``limit``.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count <= Self.limit else { return nil }
            let isPNG = bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            isSVG = !isPNG
            guard isPNG || String(validating: bytes, as: UTF8.self)?.contains("<svg") == true else { return nil }
            self.bytes = bytes
        }
    }
}

/// An opaque colour of sRGB.
package struct Colour: Sendable, Equatable {
    package static let white = Colour(red: 255, green: 255, blue: 255)
    /// The least contrast of text to its ground (WCAG 2.2, 1.4.3).
    package static let leastContrast = 4.5

    let red: UInt8, green: UInt8, blue: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// Reads `#1e4d8c`; `nil` for any other form.
    package init?(hex: String) {
        guard hex.utf8.count == 7, hex.hasPrefix("#"), hex.utf8.dropFirst().allSatisfy(\.isHexDigit),
            let number = UInt32(hex.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(number >> 16 & 255), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
    }

    /// The colour as `#1e4d8c`.
    package var hex: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The contrast ratio to another colour, from 1 to 21 (WCAG 2.2).
    package func contrast(to other: Colour) -> Double {
        let lights = [luminance, other.luminance]
        return ((lights.max() ?? 0) + 0.05) / ((lights.min() ?? 0) + 0.05)
    }

    /// The colour, mixed with as little white as gives the contrast to a dark ground.
    package func lightened(to contrast: Double, on ground: Colour) -> Colour {
        for share in stride(from: 0.0, through: 1, by: 0.05) {
            func mixed(_ part: UInt8) -> UInt8 { UInt8((Double(part) * (1 - share) + 255 * share).rounded()) }
            let lighter = Colour(red: mixed(red), green: mixed(green), blue: mixed(blue))
            if lighter.contrast(to: ground) >= contrast { return lighter }
        }
        return .white
    }

    /// The relative luminance, from 0 to 1.
    private var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
