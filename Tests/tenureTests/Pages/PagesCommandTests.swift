import ArgumentParser
import Foundation
@testable import IdentityService
import Testing

@testable import tenure

@Suite struct PagesCommandTests {
    @Test func `the commands about pages are parsed`() throws {
        let enable = try #require(
            try Tenure.parseAsRoot(["pages", "enable", "--operator-key", "operator.key"]) as? PagesEnable)
        #expect(enable.options.operatorKey == "operator.key")
        let disable = try #require(try Tenure.parseAsRoot(["pages", "disable", "--yes"]) as? PagesDisable)
        #expect(disable.yes)
        let status = try #require(try Tenure.parseAsRoot(["pages", "status", "--json"]) as? PagesStatus)
        #expect(status.json)
    }

    @Test func `a link names an app and a company, or the pages and a company`() throws {
        let app = UUID()
        let link = try AppLinkCommand.parse([app.uuidString, "harbour.example"]).named()
        #expect(link.app == app && link.company == "harbour.example")
        let pages = try AppLinkCommand.parse(["harbour.example", "--pages", "--remove"]).named()
        #expect(pages.app == nil && pages.company == "harbour.example")
        for arguments in [
            ["harbour.example"], [app.uuidString, "harbour.example", "--pages"], ["harbour.example", "pier.example"],
            [],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") { try AppLinkCommand.parse(arguments) }
        }
    }

    @Test func `a rotation is about the master keys, the tokens or the pages`() throws {
        for arguments in [
            ["--pages"], ["--pages", "--compromised", "--operator-key", "k"], ["--tokens", "--compromised"], [],
        ] {
            _ = try KeyRotate.parse(arguments)
        }
        for arguments in [
            ["--compromised"], ["--pages", "--tokens"], ["--pages", "--prepare"], ["--tokens", "--prepare"],
            ["--operator-key", "k"],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") { try KeyRotate.parse(arguments) }
        }
    }

    @Test func `doctor says that pages without mail cannot vouch, and that a URL was changed`() {
        let pages = PagesPresence(publicURL: "https://id.example")
        let good = Examination.findings(pages, hasMail: true, publicURL: "https://id.example")
        #expect(good.map(\.verdict) == [.good])
        #expect(Examination.findings(nil, hasMail: false, publicURL: nil).map(\.verdict) == [.note])
        let silent = Examination.findings(pages, hasMail: false, publicURL: nil)
        #expect(silent.map(\.verdict) == [.note])
        #expect(silent.first?.detail.contains("cannot vouch for new devices") == true)
        let moved = Examination.findings(pages, hasMail: true, publicURL: "https://new.example")
        #expect(moved.map(\.verdict) == [.bad])
        #expect(moved.first?.remedy?.contains("--accept-public-url") == true)
    }

    @Test func `a changed public URL is refused with what to do`() throws {
        let error = PublicURLChanged(old: "https://old.example", new: "https://new.example")
        let failure = try #require(CommandFailure(describing: error))
        #expect(failure.exitCode == .usage)
        #expect(failure.message.contains("https://old.example") && failure.message.contains("https://new.example"))
    }
}
