import Testing

/// The CHANGELOG names the commit of each released version.
@Suite struct ChangelogTests {
    /// The versions with a date that have no line with a whole commit.
    private func versionsWithoutCommit(_ lines: [Substring]) -> [Substring] {
        var lacking: [Substring] = []
        for line in lines {
            if line.hasPrefix("## "), !line.hasSuffix("unreleased") { lacking.append(line.dropFirst(3)) }
            if line.wholeMatch(of: /Commit: `[0-9a-f]{40}`\./) != nil { lacking = lacking.dropLast() }
        }
        return lacking
    }

    @Test func `every released version names its commit`() throws {
        let changelog = try #require(Checkout.file("CHANGELOG.md"))
        #expect(versionsWithoutCommit(changelog.lines) == [])
    }

    @Test func `a release without a whole commit is found`() {
        let commit = "Commit: `\(String(repeating: "0123456789", count: 4))`."
        let lines: [Substring] = [
            "## 0.3.0 – unreleased", "## 0.2.0 – 2027-01-01", "text", "## 0.1.0 – 2026-12-01", commit[...],
        ]
        #expect(versionsWithoutCommit(lines) == ["0.2.0 – 2027-01-01"])
        #expect(versionsWithoutCommit(["## 0.1.0 – 2026-12-01", "Commit: `abc`."]) == ["0.1.0 – 2026-12-01"])
        #expect(versionsWithoutCommit(lines.filter { $0 != lines[1] }) == [])
    }
}
