import Canonical
import Foundation
@testable import Identity
import Testing

/// The events that the contract shows, held against the golden files.
@Suite struct EventExampleTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// The names of the outermost members of a mapping in YAML's flow style, without its braces.
    private static func names(_ mapping: Substring) -> [String: Substring] {
        var found: [String: Substring] = [:], depth = 0, start = mapping.startIndex
        func end(at index: Substring.Index) {
            let parts = mapping[start..<index].split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return }
            found[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1]
        }
        for index in mapping.indices {
            switch mapping[index] {
            case "{": depth += 1
            case "}": depth -= 1
            case "," where depth == 0:
                end(at: index)
                start = mapping.index(after: index)
            default: break
            }
        }
        end(at: mapping.endIndex)
        return found
    }

    @Test func `the data of an event are those of the log`() throws {
        let contract = try String(contentsOf: Self.root.appending(path: "openapi.yaml"), encoding: .utf8)
        let examples = contract.matches(of: /- \{(position: .*, type: (\w+), .*)\}\n/)
        try #require(!examples.isEmpty)
        for example in examples {
            let file = "Tests/IdentityTests/Fixtures/events/\(example.2).v1.json"
            let golden = try StrictJSON.parse(Array(try Data(contentsOf: Self.root.appending(path: file))))
            let samples = if case .array(let items) = golden { items } else { [golden] }
            let data = try #require(Self.names(example.1)["data"]?.drop { $0 != "{" }.dropFirst().dropLast())
            let members = Self.names(data)
            var isFound = false
            for case .object(let sample) in samples where Set(sample.keys) == Set(members.keys) {
                guard case .object(let by)? = sample["by"] else { continue }
                let shown = members["by"].map { Self.names($0.drop { $0 != "{" }.dropFirst().dropLast()) } ?? [:]
                if Set(by.keys) == Set(shown.keys) { isFound = true }
            }
            #expect(isFound, "\(example.2) has other members than \(members.keys.sorted())")
        }
    }
}
