import Foundation
import IdentityService
import Testing

@testable import tenure

@Suite struct BrandSettingsTests {
    private func brand(_ environment: [String: String]) async throws -> Brand {
        try await Settings(flags: [:], environment: environment, file: nil).brand()
    }

    private func refusal(_ environment: [String: String]) async -> CommandFailure? {
        await #expect(throws: CommandFailure.self) { _ = try await brand(environment) }
    }

    private func file(_ bytes: [UInt8]) throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).logo")
        try Data(bytes).write(to: url)
        return url.path
    }

    @Test func `without settings the pages are Tenure's`() async throws {
        #expect(try await brand([:]) == Brand())
    }

    @Test func `the settings say whose pages they are`() async throws {
        let logo = try file(Array("<svg></svg>".utf8))
        defer { try? FileManager.default.removeItem(atPath: logo) }
        let brand = try await brand([
            "TENURE_BRAND_NAME": "Harbour", "TENURE_BRAND_LOGO": logo, "TENURE_BRAND_COLOUR": "#0B5C4A",
            "TENURE_BRAND_CONTACT": "mailto:help@harbour.example", "TENURE_BRAND_IMPRINT": "https://harbour.example/i",
            "TENURE_BRAND_PRIVACY": "https://harbour.example/p",
        ])
        #expect(brand.name == "Harbour" && brand.logo?.isSVG == true && brand.colour?.hex == "#0b5c4a")
        #expect(brand.contact == "mailto:help@harbour.example" && brand.imprint != nil && brand.privacy != nil)
    }

    @Test func `a logo that is too large is refused with its size, and only its beginning is read`() async throws {
        let logo = try file(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 50_000_000))
        defer { try? FileManager.default.removeItem(atPath: logo) }
        let refused = await refusal(["TENURE_BRAND_LOGO": logo])
        #expect(refused?.exitCode == .usage && refused?.message.contains("more than 32 KB") == true)
    }

    @Test func `another file is no logo`() async throws {
        let logo = try file(Array("GIF89a".utf8))
        defer { try? FileManager.default.removeItem(atPath: logo) }
        #expect(await refusal(["TENURE_BRAND_LOGO": logo])?.message.contains("neither a PNG nor an SVG") == true)
        #expect(await refusal(["TENURE_BRAND_LOGO": "/nowhere"])?.message.contains("/nowhere") == true)
    }

    @Test(arguments: [("#ffff00", "1.0:1"), ("#777777", "4.4:1")])
    func `a colour that nobody could read is refused with its contrast`(_ colour: String, _ shown: String) async {
        let refused = await refusal(["TENURE_BRAND_COLOUR": colour])
        #expect(refused?.message.contains(shown) == true && refused?.remedy?.contains("darker") == true)
    }

    @Test(arguments: [
        ("TENURE_BRAND_COLOUR", "blue"), ("TENURE_BRAND_CONTACT", "javascript:alert(1)"),
        ("TENURE_BRAND_IMPRINT", "http://harbour.example"), ("TENURE_BRAND_PRIVACY", "harbour.example"),
        ("TENURE_BRAND_NAME", "Har\nbour"),
    ])
    func `what no page can show is refused by the name of its setting`(_ name: String, _ text: String) async {
        let refused = await refusal([name: text])
        #expect(refused?.exitCode == .usage && refused?.message.contains(name) == true)
    }
}
