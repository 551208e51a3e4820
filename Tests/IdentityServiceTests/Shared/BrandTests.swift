import Testing

@testable import IdentityService

@Suite struct BrandTests {
    @Test(arguments: [("#000000", 21.0), ("#ffffff", 1.0), ("#767676", 4.54), ("#777777", 4.47), ("#1e4d8c", 8.37)])
    func `the contrast to white is that of WCAG`(_ hex: String, _ contrast: Double) throws {
        let found = try #require(Colour(hex: hex)).contrast(to: .white)
        #expect(abs(found - contrast) < 0.1, "\(found)")
        #expect(Colour(hex: hex)?.hex == hex)
    }

    @Test(arguments: ["", "1e4d8c", "#1e4d8", "#1e4d8cff", "#+e4d8c", "#1e4d8g", "red", "#1e4d8c;}"])
    func `no other form is a colour`(_ text: String) {
        #expect(Colour(hex: text) == nil)
    }

    @Test(arguments: ["#000000", "#0b5c4a", "#a1122b", "#767676"])
    func `a colour of light pages gets as light as dark pages need`(_ hex: String) throws {
        let ground = try #require(Colour(hex: "#1b202a")), colour = try #require(Colour(hex: hex))
        #expect(colour.lightened(to: 7, on: ground).contrast(to: ground) >= 7)
    }

    @Test(arguments: [
        ("https://harbour.example/contact", true), ("mailto:help@harbour.example", true), ("mailto:", false),
        ("http://harbour.example", false), ("javascript:alert(1)", false), ("data:text/html,x", false), ("/x", false),
        ("https://", false), ("https://a b", false), ("https://u@harbour.example", false),
        ("https://h.example/\"x", false),
        ("HTTPS:x", false), ("https://h.example/\u{e9}", false),
    ])
    func `a link is one of https or mailto`(_ text: String, _ isLink: Bool) {
        #expect(Brand.isLink(text) == isLink)
    }

    @Test(arguments: [
        ("Harbour", true), ("Zoë & Söhne", true), ("", false), ("a\nb", false), ("a\u{202E}b", false),
        (String(repeating: "x", count: 41), false),
    ])
    func `a name is short and has no controls`(_ text: String, _ isName: Bool) {
        #expect(Brand.isName(text) == isName)
    }

    @Test func `a logo is a PNG or an SVG of at most 32 KB`() {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], svg = Array("<svg></svg>".utf8)
        #expect(Brand.Logo(png)?.isSVG == false && Brand.Logo(svg)?.isSVG == true)
        #expect(Brand.Logo([]) == nil && Brand.Logo(Array("GIF89a".utf8)) == nil && Brand.Logo([0xFF] + svg) == nil)
        #expect(Brand.Logo(png + [UInt8](repeating: 0, count: Brand.Logo.limit - 8)) != nil)
        #expect(Brand.Logo(png + [UInt8](repeating: 0, count: Brand.Logo.limit - 7)) == nil)
    }
}
