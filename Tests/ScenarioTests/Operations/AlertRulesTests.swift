import Foundation
import TestSupport
import Testing

/// The rules of `deploy/alerts.yml` and what a service tells.
@Suite(.onServer, .timeLimit(.minutes(25)))
struct `The rules for alerts` {
    /// What only some services tell: those with a certificate of their own, and those with clients that called.
    private static let others: [String: [String]] = [
        "tenure_certificate_end_seconds": [], "tenure_certificate_failures_total": [],
        "tenure_openid_answers_total": ["client", "outcome", "cause"],
    ]
    /// What Prometheus adds to each series.
    private static let added: Set<String> = ["instance", "job"]

    private struct Rule {
        var name: String
        var expression = ""
        var words = ""
    }

    private func file(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private func rules() throws -> [Rule] {
        var rules: [Rule] = [], isExpression = false
        for line in try file("deploy/alerts.yml").split(separator: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("- alert: ") { rules.append(Rule(name: String(text.dropFirst(9)))) }
            guard !rules.isEmpty else { continue }
            if text.hasPrefix("expr:") {
                isExpression = true
            } else if text.hasPrefix("for:") || text.hasPrefix("annotations:") {
                isExpression = false
            }
            if isExpression {
                rules[rules.count - 1].expression += " " + text
            } else {
                rules[rules.count - 1].words += text
            }
        }
        return rules
    }

    /// What a service tells that has mails to send, and that has answered and refused calls.
    private func metrics() async throws -> String {
        try await withTenure { world in
            let port = try TCPConnection.freePort()
            let settings = [
                "TENURE_METRICS_LISTEN": "127.0.0.1:\(port)", "TENURE_SMTP_URL": "smtp://127.0.0.1:1",
                "TENURE_MAIL_FROM": "tenure@service.example", "TENURE_PUBLIC_URL": "https://service.example",
            ]
            return try await ServiceProcess.with(1, in: world, settings: settings) { processes in
                let client = try #require(processes.first).client
                _ = try await client.found("alerts.example")
                #expect(try await client.send(HTTPRequest("GET", "/v1/nothing")).status == 404)
                let monitor = try Client(try #require(URL(string: "http://127.0.0.1:\(port)")), world.app)
                while true {
                    let reply = try await monitor.send(HTTPRequest("GET", "/metrics"))
                    #expect(reply.status == 200)
                    let text = String(decoding: reply.body, as: UTF8.self)
                    if !text.contains("} +Inf\ntenure_metrics") && !text.hasSuffix("} +Inf\n") { return text }
                }
            }
        }
    }

    @Test func `use metrics and labels that a service has`() async throws {
        let text = try await metrics(), documentation = try file("docs/configuration.md")
        let types = Set(text.matches(of: /TYPE ([a-z_]+) (?:gauge|counter|histogram)/).map { String($0.1) })
        var labels: [String: Set<String>] = [:], values: Set<String> = []
        for line in text.matches(of: #/\n([a-z_]+)\{([^}]*)\} /#) {
            for label in line.2.matches(of: /([a-z]+)="([^"]*)"/) {
                labels[String(line.1), default: []].insert(String(label.1))
                values.insert("\(line.1){\(label.1)=\(label.2)")
            }
        }
        let rules = try rules()
        #expect(rules.count > 20 && Set(rules.map(\.name)).count == rules.count)
        for rule in rules {
            var known = Self.added
            for use in rule.expression.matches(of: /\b((?:tenure|process)_[a-z_]+)(?:\{([^}]*)\})?/) {
                let name = String(use.1), other = Self.others[name]
                #expect(types.contains(name) || other != nil, "\(rule.name) uses \(name), which no service tells")
                var own = labels[name] ?? Set(other ?? [])
                if let listed = documentation.firstMatch(
                    of: try Regex<(Substring, Substring)>("`\(name)\\{([a-z,]+)\\}"))
                {
                    own.formUnion(listed.1.split(separator: ",").map(String.init))
                }
                known.formUnion(own)
                for matcher in (use.2 ?? "").matches(of: /([a-z]+)(!=|!~|=~|=)"([^"]*)"/) where matcher.1 != "job" {
                    #expect(own.contains(String(matcher.1)), "\(rule.name): \(name) has no label \(matcher.1)")
                    guard matcher.2 == "=", matcher.1 == "outcome", other == nil else { continue }
                    #expect(
                        values.contains("\(name){outcome=\(matcher.3)"), "\(rule.name): \(matcher.3) does not occur")
                }
            }
            var named = rule.words.matches(of: /\$labels\.([a-z]+)/).map { String($0.1) }
            for grouping in rule.expression.matches(of: /by \(([a-z, ]+)\)/) {
                named += grouping.1.split { !$0.isLetter }.map(String.init)
            }
            for label in named { #expect(known.contains(label), "\(rule.name) names \(label), which it does not have") }
        }
    }
}
