import Canonical

/// What one check of `tenure doctor` found.
struct Finding: Sendable, Equatable {
    /// How it stands: a note is something to know, not something to mend.
    enum Verdict: String, Sendable { case good, note, bad }

    var subject: String
    var verdict: Verdict
    var detail: String
    var remedy: String?

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "subject": .string(subject), "verdict": .string(verdict.rawValue), "detail": .string(detail),
        ]
        if let remedy { members["remedy"] = .string(remedy) }
        return .object(members)
    }

    static func table(_ findings: [Finding]) -> Table {
        var table = Table([.init(title: "Check"), .init(title: "Verdict"), .init(title: "Detail")])
        for finding in findings {
            table.add([
                finding.subject, finding.verdict.rawValue, finding.detail + (finding.remedy.map { "; \($0)" } ?? ""),
            ])
        }
        return table
    }
}
