import IdentityService
import Testing

@testable import tenure

@Suite struct DurabilityFindingTests {
    private func findings(fsync: Bool = true, commit: String = "on", pages: Bool = true) -> [Finding] {
        Examination.findings(Durability(fsync: fsync, synchronousCommit: commit, fullPageWrites: pages))
    }

    @Test(arguments: ["on", "local", "remote_write", "remote_apply"])
    func `a database that waits for its disks is good`(commit: String) {
        let found = findings(commit: commit)
        #expect(found.map(\.verdict) == [.good])
        #expect(found.allSatisfy { $0.detail.contains(commit) })
    }

    @Test func `each setting that loses acknowledged events is bad, and is named`() {
        let found = findings(fsync: false, commit: "off")
        #expect(found.map(\.subject) == ["fsync", "synchronous_commit"])
        #expect(found.allSatisfy { $0.verdict == .bad && $0.remedy != nil })
        #expect(found.allSatisfy { $0.detail.contains("acknowledged events") })
    }

    @Test func `what the file system may make good is a note`() {
        #expect(findings(pages: false).map(\.subject) == ["full_page_writes"])
        #expect(findings(pages: false).map(\.verdict) == [.note])
    }
}
