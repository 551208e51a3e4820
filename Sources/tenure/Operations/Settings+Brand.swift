import Foundation
import IdentityService

extension Settings {
    /// Whose pages and mails the service serves.
    ///
    /// - Throws: ``CommandFailure`` that names the setting, for what no page could show.
    func brand() throws -> Brand {
        var brand = Brand()
        if let name = text(.brandName) {
            guard Brand.isName(name) else {
                throw CommandFailure(
                    .usage, "\(Name.brandName.variable) is no name that pages can show",
                    remedy: "Write at most 40 characters without line ends.")
            }
            brand.name = name
        }
        brand.logo = try text(.brandLogo).map(Self.logo)
        brand.colour = try text(.brandColour).map(Self.colour)
        brand.contact = try link(.brandContact)
        brand.imprint = try link(.brandImprint)
        brand.privacy = try link(.brandPrivacy)
        return brand
    }

    /// Reads the file of a logo, and no more of it than a logo may have.
    private static func logo(_ path: String) throws -> Brand.Logo {
        let variable = Name.brandLogo.variable
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(
                .usage, "\(variable) names \(path), which cannot be read", remedy: "Correct the path.")
        }
        defer { try? file.close() }
        let bytes = Array((try? file.read(upToCount: Brand.Logo.limit + 1)) ?? Data())
        guard bytes.count <= Brand.Logo.limit else {
            throw CommandFailure(
                .usage, "\(variable) names \(path), which has more than \(Brand.Logo.limit / 1_024) KB",
                remedy: "Every page loads the logo. Make it smaller, such as 256 pixels wide.")
        }
        guard let logo = Brand.Logo(bytes) else {
            throw CommandFailure(
                .usage, "\(variable) names \(path), which is neither a PNG nor an SVG",
                remedy: "Save the logo in one of these formats.")
        }
        return logo
    }

    /// Reads a colour that people can read on white, and white on it.
    private static func colour(_ text: String) throws -> Colour {
        let variable = Name.brandColour.variable
        guard let colour = Colour(hex: text) else {
            throw CommandFailure(
                .usage, "\(variable) is no colour", remedy: "Write six hexadecimal digits, such as #1e4d8c.")
        }
        let contrast = colour.contrast(to: .white)
        guard contrast >= Colour.leastContrast else {
            // Rounded down, so that no refused colour seems to have enough.
            let shown = Double(Int(contrast * 10)) / 10
            throw CommandFailure(
                .usage,
                "\(variable) has a contrast of \(shown):1 to white, and 4.5:1 is the least that people can read",
                remedy: "Choose a darker colour.")
        }
        return colour
    }

    private func link(_ name: Name) throws -> String? {
        guard let text = text(name) else { return nil }
        guard Brand.isLink(text) else {
            throw CommandFailure(
                .usage, "\(name.variable) is no link that pages can show",
                remedy: "Write an address with https:// or mailto:, such as mailto:help@harbour.example.")
        }
        return text
    }
}
