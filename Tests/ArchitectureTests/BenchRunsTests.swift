import Foundation
import Testing

/// Tests `scripts/bench-runs` with runs of one part and a few rows.
@Suite struct BenchRunsTests {
    @Test func `a ratio that fell by more than a tenth is named and fails the comparison`() throws {
        let stage = try Stage()
        try stage.keep(.rate("replay", ratio: 0.28), .rate("rebuild", ratio: 1.9))
        let result = try stage.compare(.rate("replay", ratio: 0.25), .rate("rebuild", ratio: 1.72))
        #expect(result.status == 1)
        #expect(result.errors == "FELL by 11%: replay\n")
        #expect(result.output.contains("not compared") == false)
    }

    @Test func `a ratio that fell by less than a tenth passes`() throws {
        let stage = try Stage()
        try stage.keep(.rate("replay", ratio: 0.28))
        let result = try stage.compare(.rate("replay", ratio: 0.26))
        #expect(result.status == 0)
        #expect(result.errors == "")
    }

    @Test func `a ratio of times fell if it grew`() throws {
        let stage = try Stage()
        try stage.keep(.time("log-in", ratio: 1))
        #expect(try stage.compare(.time("log-in", ratio: 1.2)).errors == "FELL by 17%: log-in\n")
        #expect(try stage.compare(.time("log-in", ratio: 0.5)).status == 0)
    }

    @Test func `memory is compared by its size, on any machine`() throws {
        let stage = try Stage()
        try stage.keep(Row(name: "memory", unit: "MB", moreIsBetter: false, value: 70))
        let more = Row(name: "memory", unit: "MB", moreIsBetter: false, value: 80)
        #expect(try stage.compare(more, machine: "another").errors == "FELL by 12%: memory\n")
    }

    @Test func `a rate without a ratio is compared only with one of the same machine`() throws {
        let stage = try Stage()
        try stage.keep(Row(name: "appends", unit: "per second", moreIsBetter: true, value: 1_000))
        let slower = Row(name: "appends", unit: "per second", moreIsBetter: true, value: 500)
        #expect(try stage.compare(slower).errors == "FELL by 50%: appends\n")
        let elsewhere = try stage.compare(slower, machine: "another")
        #expect(elsewhere.status == 0)
        #expect(elsewhere.output.contains("not compared"))
    }

    @Test func `a kept row that the run lacks is named, and a new row is not a loss`() throws {
        let stage = try Stage()
        try stage.keep(.rate("replay", ratio: 0.28))
        let result = try stage.compare(.rate("print", ratio: 0.1))
        #expect(result.status == 1)
        #expect(result.errors == "GONE: replay\n")
        #expect(result.output.contains("new"))
    }

    @Test func `keeping a run replaces its parts and leaves the others`() throws {
        let stage = try Stage()
        try stage.keep(.rate("appends", ratio: 1), part: "log")
        try stage.keep(.rate("replay", ratio: 0.28))
        try stage.keep(.rate("replay", ratio: 0.5))
        #expect(try stage.compare(.rate("replay", ratio: 0.28)).errors == "FELL by 44%: replay\n")
        #expect(try stage.compare(.rate("appends", ratio: 0.5), part: "log").errors == "FELL by 50%: appends\n")
    }
}

/// A row as Bench writes it.
private struct Row: Encodable {
    struct Spread: Encodable {
        let median, least, most: Double

        init(_ value: Double) { (median, least, most) = (value, value, value) }
    }
    let name: String
    let unit: String
    let moreIsBetter: Bool
    let value: Spread
    let base: String?
    let ratio: Spread?

    init(name: String, unit: String, moreIsBetter: Bool, value: Double, ratio: Double? = nil) {
        self.name = name
        self.unit = unit
        self.moreIsBetter = moreIsBetter
        self.value = Spread(value)
        base = ratio == nil ? nil : "something"
        self.ratio = ratio.map { Spread($0) }
    }

    /// A rate whose value says nothing, because another machine measured it.
    static func rate(_ name: String, ratio: Double) -> Row {
        Row(name: name, unit: "per second", moreIsBetter: true, value: .random(in: 1...1_000), ratio: ratio)
    }

    static func time(_ name: String, ratio: Double) -> Row {
        Row(name: name, unit: "ms CPU", moreIsBetter: false, value: .random(in: 1...1_000), ratio: ratio)
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
        _ rows: Row..., part: String = "audit", machine: String = "this"
    ) throws -> (status: Int32, output: String, errors: String) {
        try run(["compare", path("kept.json"), try write(rows, part), "machine=\(machine)"])
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

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func write(_ rows: [Row], _ part: String) throws -> String {
        let file = path("run.json")
        try JSONEncoder().encode(["parts": [part: rows]]).write(to: URL(fileURLWithPath: file))
        return file
    }
}
