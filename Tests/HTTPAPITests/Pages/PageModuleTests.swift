import Foundation
import Testing

@testable import HTTPAPI

/// The modules of the pages.
@Suite(.timeLimit(.minutes(5))) struct PageModuleTests {
    private static let modules = PageAsset.allCases.filter { $0.rawValue.hasSuffix(".js") }

    @Test(arguments: modules) func `a module is short, and makes no markup and no code of texts`(module: PageAsset) {
        let text = String(decoding: module.bytes, as: UTF8.self)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 200)
        for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"] {
            #expect(!text.contains(sink), "\(sink)")
        }
        #expect(!text.contains(/https?:\/\//), "another origin")
        // Modules import each other by the name beside them.
        let imported = text.matches(of: /from "([^"]*)"/).map { String($0.output.1) }
        #expect(Set(imported).isSubset(of: Self.modules.map { "./" + $0.rawValue }))
    }

    @Test func `a module has the media type that browsers ask for`() async throws {
        try await Browser.with { browser in
            for module in Self.modules {
                let answer = try await browser.get(module.path)
                #expect(answer.status == 200 && answer.bytes == module.bytes)
                #expect(answer.header("Content-Type") == "text/javascript; charset=utf-8")
                #expect(module.path == PageAsset.style.path.replacing("pages.css", with: module.rawValue))
            }
        }
    }

    @Test(.enabled(if: Command.exists(["node", "--version"]), "needs node"))
    func `the pure parts of the modules do what their tests say`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Modules").path
        let (status, output) = try await Command.run(["node", "--test", folder])
        #expect(status == 0, "\(output)")
    }
}
