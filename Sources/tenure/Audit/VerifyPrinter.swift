import Canonical
import FoundationEssentials
import IdentityService
import Ledger
import TenureClient

/// Prints the result of a verification.
struct VerifyPrinter {
    let report: VerifyReport

    /// Prints the findings: a table for people, lines for programs. Without findings people get no output.
    func print(asJSON: Bool, to output: Output) throws {
        let text = text(asJSON: asJSON, on: output.terminal)
        if !text.isEmpty { try output.write(text) }
    }

    /// The findings, as ``print(asJSON:to:)`` prints them.
    func text(asJSON: Bool, on terminal: Terminal) -> String {
        guard asJSON else {
            return (report.violations.isEmpty ? "" : table.rendered(on: terminal))
                + report.notes.map { "Note: \($0)\n" }.joined()
                + (report.chain.isEmpty ? "" : ChainPrinter.table(report.chain).rendered(on: terminal))
        }
        let values =
            report.violations.map(Self.json) + report.notes.map(Self.json) + report.chain.map(ChainPrinter.json)
            + [summary]
        return values.map(JSONLines.line).joined()
    }

    /// The result in one sentence.
    var words: String {
        let unsealed = report.events - report.sealedEvents
        let rest = unsealed > 0 ? "; \(unsealed) \(unsealed == 1 ? "is" : "are") newer than the last checkpoint" : ""
        let counts = "\(Noun.event.counted(report.events)) of \(Noun.ledger.counted(report.ledgers))\(rest)"
        guard let first = report.violations.first else { return "The log matches its signed checkpoints: \(counts)." }
        return "The log was changed. First: \(first) (\(Noun.finding.counted(report.violations.count)), \(counts))."
    }

    /// The result for the anchor in one sentence; `nil` if no anchor was given.
    var anchorWords: String? {
        guard let anchor = report.anchor else { return nil }
        let kept = "the anchor (\(Noun.entry.counted(anchor.size)), root \(Base64.encode(anchor.root)))"
        switch anchor.outcome {
        case .same: return "The system ledger is what \(kept) signed, and has not grown since."
        case .ahead:
            let ahead = Noun.entry.counted(anchor.logSize - anchor.size)
            return "The system ledger contains what \(kept) signed, and is \(ahead) ahead."
        case .behind: return "The system ledger has \(Noun.entry.counted(anchor.logSize)), fewer than \(kept) signed."
        case .different: return "The system ledger has other entries than \(kept) signed."
        case .notCompared:
            return """
                Not compared with \(kept): a bundle without the whole system ledger cannot be. The anchor gave its key \
                and nothing else.
                """
        }
    }

    private var table: Table {
        var table = Table([
            .init(title: "Ledger"), .init(title: "Position", alignment: .right), .init(title: "Kind"),
            .init(title: "Finding"),
        ])
        for violation in report.violations {
            table.add([
                violation.ledger.description, Self.place(violation), violation.kind.rawValue, violation.detail,
            ])
        }
        return table
    }

    /// The position of the first bad entry, or the range that contains it.
    private static func place(_ violation: Violation) -> String {
        guard let first = violation.position else { return "" }
        guard let last = violation.lastPosition, last > first else { return String(first) }
        return "\(first)-\(last)"
    }

    private static func json(_ violation: Violation) -> JSONValue {
        .objectOmittingNil([
            "ledger": .uuid(violation.ledger.uuid), "position": violation.position.map(JSONValue.integer),
            "lastPosition": violation.lastPosition.map(JSONValue.integer), "kind": .string(violation.kind.rawValue),
            "detail": .string(violation.detail),
        ])
    }

    private static func json(_ note: VerifyNote) -> JSONValue {
        .objectOmittingNil([
            "ledger": .uuid(note.ledger.uuid), "position": note.position.map(JSONValue.integer),
            "lastPosition": note.lastPosition.map(JSONValue.integer), "kind": "note", "detail": .string(note.detail),
        ])
    }

    private var summary: JSONValue {
        .objectOmittingNil([
            "ledgers": .integer(Int64(report.ledgers)), "events": .integer(report.events),
            "sealedEvents": .integer(report.sealedEvents), "findings": .integer(Int64(report.violations.count)),
            "anchored": .bool(report.isAnchored),
            "anchor": report.anchor.map { anchor -> JSONValue in
                [
                    "size": .integer(anchor.size), "root": .string(Base64.encode(anchor.root)),
                    "logSize": .integer(anchor.logSize), "log": .string(anchor.outcome.rawValue),
                ]
            },
        ])
    }
}

/// Prints the chain from a key to the root, link by link.
enum ChainPrinter {
    static func table(_ chain: [AuthorityLink]) -> Table {
        var table = Table([
            .init(title: "Key or app"), .init(title: "Employee"), .init(title: "Position", alignment: .right),
            .init(title: "Let in by"), .init(title: "State"),
        ])
        for link in chain {
            let (name, employee) =
                switch link.subject {
                case .key(let fingerprint, let employee): (Fingerprint.readable(fingerprint), employee.lowercased)
                case .app(let app): ("app \(app.lowercased)", "")
                }
            table.add([
                name, employee, link.position.map { String($0) } ?? "", words(link),
                link.isEnded ? "ended" : "in force",
            ])
        }
        return table
    }

    private static func words(_ link: AuthorityLink) -> String {
        switch (link.grantor, link.subject) {
        case (.founding, .key): "founding: the root"
        case (.founding, .app): "founding"
        case (.app, _): "the app below"
        case (.employee, _): "the key below"
        case (.operator, _): "the operator"
        case (.policy, _): "the policy"
        case (.comeback, _): "the return by mail and time"
        case (.missing, _): "nobody"
        }
    }

    static func json(_ link: AuthorityLink) -> JSONValue {
        let (fingerprint, employee, app): (String?, JSONValue?, JSONValue?) =
            switch link.subject {
            case .key(let fingerprint, let employee): (fingerprint, .uuid(employee), nil)
            case .app(let app): (nil, nil, .uuid(app))
            }
        return .objectOmittingNil([
            "fingerprint": fingerprint.map(JSONValue.string), "employee": employee, "app": app,
            "position": link.position.map(JSONValue.integer), "grantor": .string(link.grantor.rawValue),
            "ended": .bool(link.isEnded),
        ])
    }
}
