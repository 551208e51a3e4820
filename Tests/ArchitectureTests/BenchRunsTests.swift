import Foundation
import Testing

/// Tests `scripts/bench-runs` with runs of one part and a few rows.
@Suite struct BenchRunsTests {
    @Test func `a row that takes more than a tenth more is named and fails the comparison`() throws {
        let stage = try Stage()
        try stage.keep(Row("replay", 2), Row("rebuild", 1.9))
        let result = try stage.compare(Row("replay", 2.4), Row("rebuild", 2.1))
        #expect(result.status == 1)
        #expect(result.errors == "FELL by 17%: replay\n")
    }

    @Test func `a row that takes little more, or less, passes`() throws {
        let stage = try Stage()
        try stage.keep(Row("replay", 2))
        for ratio in [2.2, 1] { #expect(try stage.compare(Row("replay", ratio)).status == 0) }
        #expect(try stage.compare(Row("replay", 2.2)).errors == "")
    }

    @Test func `only ratios are kept`() throws {
        let stage = try Stage()
        try stage.keep(Row("replay", 2.123456), Row("rebuild", nil))
        let kept = try String(contentsOfFile: stage.path("kept.json"), encoding: .utf8)
        #expect(kept.contains(#""ratio": {"median": 2.123}"#))
        #expect(!kept.contains("rebuild"))
    }

    @Test func `a row without a pair fails the comparison`() throws {
        let stage = try Stage()
        try stage.keep(Row("replay", 2))
        let result = try stage.compare(Row("replay", nil))
        #expect(result.status == 1)
        #expect(result.errors == "NO PAIR: replay\n")
    }

    @Test func `a kept row that the run lacks is named, and a new row is not a loss`() throws {
        let stage = try Stage()
        try stage.keep(Row("replay", 2), Row("rebuild", 3))
        let result = try stage.compare(Row("print", 10), Row("rebuild", 3))
        #expect(result.status == 1)
        #expect(result.errors == "GONE: replay\n")
        #expect(result.output.contains("new"))
    }

    @Test func `a file that has no row of the run fails the comparison`() throws {
        let stage = try Stage()
        try stage.keep(Row("append", 1), part: "log")
        let result = try stage.compare(Row("replay", 2))
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("NOTHING COMPARED"))
    }

    @Test func `keeping a run replaces its parts and leaves the others`() throws {
        let stage = try Stage()
        try stage.keep(Row("append", 1), part: "log")
        try stage.keep(Row("replay", 2))
        try stage.keep(Row("replay", 1))
        #expect(try stage.compare(Row("replay", 2)).errors == "FELL by 50%: replay\n")
        #expect(try stage.compare(Row("append", 2), part: "log").errors == "FELL by 50%: append\n")
    }
}

/// A row as Bench writes it.
private struct Row: Encodable {
    struct Ratio: Encodable {
        let median: Double
    }
    let name: String
    let unit = "ms"
    let base = "something"
    let pairs: Int
    let thrownAway: Int
    let ratio: Ratio?

    /// A row, or one of which every pair was thrown away.
    init(_ name: String, _ ratio: Double?) {
        self.name = name
        self.ratio = ratio.map { Ratio(median: $0) }
        (pairs, thrownAway) = ratio == nil ? (0, 4) : (6, 1)
    }
}

/// A folder with a kept run and a new one.
private final class Stage {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-runs-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func keep(_ rows: Row..., part: String = "audit") throws {
        let result = try run(["keep", path("kept.json"), try write(rows, part), "machine=this", "commit=1234567"])
        #expect(result.status == 0, "\(result.errors)")
    }

    func compare(
        _ rows: Row..., part: String = "audit"
    ) throws -> (status: Int32, output: String, errors: String) {
        try run(["compare", path("kept.json"), try write(rows, part)])
    }

    func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = Checkout.root.appendingPathComponent("scripts/bench-runs")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // A few kilobytes: the pipes hold them until the end.
        process.waitUntilExit()
        func text(_ pipe: Pipe) -> String {
            String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        return (process.terminationStatus, text(output), text(errors))
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func write(_ rows: [Row], _ part: String) throws -> String {
        let file = path("run.json")
        try JSONEncoder().encode(["parts": [part: rows]]).write(to: URL(fileURLWithPath: file))
        return file
    }
}
