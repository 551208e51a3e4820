import Canonical
import Identity
import Projections

/// Prints how live views differ from the log.
enum DifferenceText {
    /// Prints all of them, as a table or one JSON object each.
    static func print(_ differences: [ViewDifference], json: Bool, on output: Output) {
        if json {
            for difference in differences { output.write(JSONLines.line(Self.json(difference))) }
        } else if !differences.isEmpty {
            output.write(table(differences).rendered(on: output.terminal))
        }
    }

    private static func words(_ kind: ViewDifference.Kind) -> String {
        switch kind {
        case .missing: "missing"
        case .unexpected: "unexpected"
        case .changed(let columns): "other values: \(columns.joined(separator: " "))"
        case .stopped(let position, let reason): "stopped at position \(position): \(reason)"
        }
    }

    private static func table(_ differences: [ViewDifference]) -> Table {
        var table = Table([
            .init(title: "Table"), .init(title: "Company"), .init(title: "Row"), .init(title: "Difference"),
        ])
        for difference in differences {
            table.add([difference.table, difference.tenant.description, difference.key, words(difference.kind)])
        }
        return table
    }

    private static func json(_ difference: ViewDifference) -> JSONValue {
        var members: [String: JSONValue] = [
            "kind": "difference", "view": .string(difference.view.rawValue), "table": .string(difference.table),
            "companyId": difference.tenant.json, "row": .string(difference.key),
        ]
        switch difference.kind {
        case .missing: members["difference"] = "missing"
        case .unexpected: members["difference"] = "unexpected"
        case .changed(let columns):
            members["difference"] = "changed"
            members["columns"] = .array(columns.map(JSONValue.string))
        case .stopped(let position, let reason):
            members["difference"] = "stopped"
            members["position"] = .integer(position)
            members["reason"] = .string(reason)
        }
        return .object(members)
    }
}
