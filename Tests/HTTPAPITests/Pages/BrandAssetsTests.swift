import IdentityService
import Testing

@testable import HTTPAPI

/// What the operator's settings change on pages.
@Suite(.timeLimit(.minutes(5))) struct BrandAssetsTests {
    private static let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".utf8)

    private static let brand: Brand = {
        var brand = Brand()
        brand.name = "Harbour <b>"
        brand.logo = Brand.Logo(svg)
        brand.colour = Colour(hex: "#0b5c4a")
        brand.contact = "mailto:help@harbour.example"
        return brand
    }()

    private func path(_ pattern: Regex<(Substring, Substring)>, in page: API.Answer) throws -> String {
        String(try #require(page.text.firstMatch(of: pattern)).output.1)
    }

    @Test func `a page names the operator, and shows the logo as an image only`() async throws {
        try await Browser.with(brand: Self.brand) { browser in
            let page = try await browser.get("/login")
            #expect(page.text.contains("<title>Log in – Harbour &lt;b&gt;</title>"), "\(page.text)")
            #expect(page.text.contains("href=\"mailto:help@harbour.example\"") && !page.text.contains("<svg"))
            let path = try path(/<img src="([^"]+)"/, in: page)
            let logo = try await browser.get(path)
            #expect(logo.status == 200 && logo.bytes == Self.svg && path.hasSuffix(".svg"))
            #expect(logo.header("Content-Type") == "image/svg+xml")
            #expect(logo.header("Content-Security-Policy") == "sandbox; default-src 'none'")
            #expect(logo.header("X-Content-Type-Options") == "nosniff")
            #expect(try await browser.get(path.replacing(".svg", with: ".png")).status == 404)
        }
    }

    @Test func `the style has the operator's colour, and a lighter one for dark pages`() async throws {
        try await Browser.with(brand: Self.brand) { browser in
            let path = try path(/rel="stylesheet" href="([^"]+)"/, in: try await browser.get("/login"))
            let style = try await browser.get(path)
            #expect(style.status == 200 && path != PageAsset.style.path)
            #expect(style.text.contains("--accent: #0b5c4a") && style.text.utf8.count < 20_000)
            let dark = style.text.matches(of: /--accent: (#[0-9a-f]{6})/).compactMap {
                Colour(hex: String($0.output.1))
            }
            let last = try #require(dark.last)
            #expect(last.contrast(to: BrandAssets.darkPaper) >= 7)
        }
    }

    @Test func `a refusal before the route names the operator too`() async throws {
        try await Browser.with(brand: Self.brand) { browser in
            let refused = try await browser.api.send("DELETE", "/login", authorization: nil)
            #expect(refused.status == 405 && refused.text.contains("– Harbour &lt;b&gt;</title>"))
        }
    }

    @Test func `without settings a page has Tenure's mark, and no link at the foot that leads nowhere`() async throws {
        try await Browser.with { browser in
            let page = try await browser.get("/login")
            #expect(page.text.contains("<title>Log in – Tenure</title>"))
            #expect(page.text.contains("<link rel=\"icon\" href=\"\(PageAsset.mark.path)\">"))
            #expect(!page.text.contains("mailto:") && !page.text.contains("href=\"\""))
            #expect(try await browser.get(PageAsset.mark.path).header("Content-Type") == "image/svg+xml")
        }
    }

    @Test func `the log-in page needs at most 40 KB with all that it loads`() async throws {
        try await Browser.with { browser in
            let page = try await browser.get("/login")
            let paths = Set(page.text.matches(of: /(?:src|href)="(\/assets\/[^"]+)"/).map { String($0.output.1) })
            var bytes = page.bytes.count
            for path in paths { bytes += try await browser.get(path).bytes.count }
            #expect(paths.count >= 4 && bytes <= 40_960, "\(bytes)")
        }
    }
}
