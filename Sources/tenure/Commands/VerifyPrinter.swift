import Canonical
import IdentityService
import Ledger

/// Shows what a verification found.
struct VerifyPrinter {
    let report: VerifyReport

    /// Prints the findings: a table for a person, lines for a program; a person gets nothing when there are none.
    func print(asJSON: Bool, to output: Output) {
        if asJSON {
            for violation in report.violations { output.write(JSONLines.line(Self.json(violation))) }
            for link in report.chain { output.write(JSONLines.line(ChainPrinter.json(link))) }
            output.write(JSONLines.line(summary))
            return
        }
        if !report.violations.isEmpty { output.write(table.rendered(on: output.terminal)) }
        if !report.chain.isEmpty { output.write(ChainPrinter.table(report.chain).rendered(on: output.terminal)) }
    }

    /// The result in one sentence.
    var words: String {
        let unsealed = report.events - report.sealedEvents
        let rest = unsealed > 0 ? "; \(unsealed) are newer than the last seal" : ""
        let counts = "\(report.events) events of \(report.ledgers) ledgers\(rest)"
        guard let first = report.violations.first else { return "The log is as it was signed: \(counts)." }
        return "The log was changed. First: \(first) (\(report.violations.count) findings, \(counts))."
    }

    private var table: Table {
        var table = Table([
            .init(title: "Ledger"), .init(title: "Position", alignment: .right), .init(title: "Kind"),
            .init(title: "Finding"),
        ])
        for violation in report.violations {
            table.add([
                violation.ledger.description, violation.position.map { String($0) } ?? "", violation.kind.rawValue,
                violation.detail,
            ])
        }
        return table
    }

    private static func json(_ violation: Violation) -> JSONValue {
        .objectOmittingNil([
            "ledger": .uuid(violation.ledger.uuid), "position": violation.position.map(JSONValue.integer),
            "lastPosition": violation.lastPosition.map(JSONValue.integer), "kind": .string(violation.kind.rawValue),
            "detail": .string(violation.detail),
        ])
    }

    private var summary: JSONValue {
        [
            "ledgers": .integer(Int64(report.ledgers)), "events": .integer(report.events),
            "sealedEvents": .integer(report.sealedEvents), "findings": .integer(Int64(report.violations.count)),
            "anchored": .bool(report.isAnchored),
        ]
    }
}
