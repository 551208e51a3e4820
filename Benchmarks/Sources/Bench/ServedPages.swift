import Foundation

/// Pages that are served on loopback, fetched with curl.
struct ServedPages: Sendable {
    private static let browsers = 8

    let port: Int
    /// The process whose child the server is.
    let process: Int
    /// The cookie that the browsers send; empty for none.
    var cookie = ""

    /// The times of first bytes in milliseconds, sorted. Eight browsers ask again and again, over open connections.
    ///
    /// - Parameter path: A path without a query.
    func firstBytes(of path: String, count: Int) async throws -> [Double] {
        let output = try await fetch(
            [
                "--parallel", "--parallel-max", String(Self.browsers), "--no-progress-meter", "-o", "/dev/null",
                "-w", "first byte %{time_starttransfer} s\\n",
            ], "\(path)?n=[1-\(count)]")
        let times = output.matches(of: /first byte ([0-9.]+) s/).compactMap { Double($0.output.1) }
        guard times.count == count else { throw BenchError("curl tells other times than expected:\n\(output)") }
        return times.map { $0 * 1_000 }.sorted()
    }

    /// The bytes of a page as sent, with those of its styles and modules and of what these import; headers included.
    func weight(of path: String) async throws -> Int {
        var paths = [path], bytes = 0, next = 0
        while next < paths.count {
            let sent = try await fetch(["-i"], paths[next])
            bytes += sent.utf8.count
            let directory = paths[next].prefix { $0 != "?" }.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            let named = sent.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/).map { String($0.output.1) }
            let imported = sent.matches(of: /from "\.(\/[^"]+)"/).map { directory + $0.output.1 }
            for more in named + imported where !paths.contains(more) { paths.append(more) }
            next += 1
        }
        guard next > 2 else { throw BenchError("the page has no style and no module") }
        return bytes
    }

    private func fetch(_ arguments: [String], _ path: String) async throws -> String {
        try await ChildProgram.output(
            of: "/usr/bin/env",
            ["curl", "-sS", "--fail", "--noproxy", "*", "-H", "Cookie: \(cookie)"] + arguments + [
                "http://127.0.0.1:\(port)\(path)"
            ])
    }
}
