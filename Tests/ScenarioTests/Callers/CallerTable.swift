import Foundation
import TenureAPI
import Testing

/// The operations of the API with those who may call them: what `openapi.yaml` says, and the page `docs/callers.md`.
struct CallerTable: Sendable {
    /// The `x-callers` of each operation, by method and path.
    private(set) var stated: [String: Set<String>] = [:]
    /// The error codes of each operation, by method and path.
    private(set) var codes: [String: Set<String>] = [:]

    /// Reads the contract.
    ///
    /// The document is written in one form: a path or the name of a component at two or four spaces, a method at four,
    /// `x-callers` at six. A code is the name of an example, in an operation or in a response that it refers to.
    init(contract: String) {
        var path: Substring = "", place: String?
        var ofResponses: [String: Set<String>] = [:], responses: [String: Set<String>] = [:]
        for line in contract.split(separator: "\n") {
            if !line.hasPrefix("   ") { place = nil }
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = line.dropFirst(2).dropLast() }
            if let match = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete):/) {
                place = "\(match.1.uppercased()) \(path)"
            } else if let match = line.wholeMatch(of: /\ {4}([A-Za-z]+):/) {
                place = String(match.1)
            }
            guard let place else { continue }
            if let match = line.wholeMatch(of: /\ {6}x-callers: \[(.+)\]/) {
                stated[place] = Set(match.1.split(separator: ",").map { String($0.drop { $0 == " " }) })
            } else if let match = line.firstMatch(of: /([a-z_.]+): \{\$ref: "#\/components\/examples\/[a-z]/) {
                ofResponses[place, default: []].insert(String(match.1))
            } else if let match = line.firstMatch(of: /"\d\d\d": \{\$ref: "#\/components\/responses\/(\w+)"/) {
                responses[place, default: []].insert(String(match.1))
            }
        }
        for place in stated.keys {
            codes[place] = (responses[place] ?? []).reduce(into: ofResponses[place] ?? []) { codes, response in
                codes.formUnion(ofResponses[response] ?? [])
            }
        }
    }

    /// The file of the page.
    static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/callers.md")

    /// The page with one row for each operation, in the order of paths and methods.
    ///
    /// - Parameter admitted: The kinds of callers that the service admitted, by method and path.
    static func markdown(_ admitted: [String: Set<CallerKind>]) -> String {
        let order = Endpoint.all.sorted {
            ($0.template.text, $0.method) < ($1.template.text, $1.method)
        }
        var lines = [
            introduction,
            "| operation | " + CallerKind.allCases.map(\.heading).joined(separator: " | ") + " |",
            "|---" + String(repeating: "|:-:", count: CallerKind.allCases.count) + "|",
        ]
        for endpoint in order {
            let marks = CallerKind.allCases.map { admitted[endpoint.description]?.contains($0) == true ? "✓" : "–" }
            lines.append("| `\(endpoint)` | " + marks.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let introduction = """
        # Who may call what

        A test calls every operation as every kind of caller against a running service, and writes this table.

        * ✓ The caller was admitted. The answer was about the content of the request, even where it was a refusal.
        * – The caller was refused: with 401, with `app.role_missing` or `authorization.not_permitted`, or as if the
          company did not exist.

        The member `x-callers` of each operation in `openapi.yaml` says the same, and the test compares the two.

        The callers:

        * In capitals: an app whose secret has this one role. The company's link to the app has all four.
        * Unlinked app: an app with ACCESS, CREATION and AUTHORIZATION, without a link to the company. A login that it
          starts is served like one of an unknown employee, so that the app does not learn who exists.
        * The employee named: the one whose account, device or M-Pin identity the path names.
        * Admin and security admin: they decide about ordinary employees here.
        * Other company: the security admin of another company.

        If the callers change, set `TENURE_WRITE_CALLERS=1` and run the test: it writes this page.

        """
}
