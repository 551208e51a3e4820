import Foundation
import Postgres

/// Processor time of the server and of this program: what an append costs however busy the machine is.
struct ProcessorTime: Sendable {
    /// Of all processes of the server, those that have ended included, and of others that are measured with them.
    var server: Duration
    var program: Duration

    static func - (left: ProcessorTime, right: ProcessorTime) -> ProcessorTime {
        ProcessorTime(server: left.server - right.server, program: left.program - right.program)
    }

    /// The time used so far; nil where the system has no `/proc`.
    ///
    /// - Parameter others: Processes that are measured with the server's.
    static func now(_ postmaster: Int, _ others: [Int] = []) -> ProcessorTime? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
        var ticks = 0
        for process in names.compactMap({ Int($0) }) {
            guard let fields = stat(process), fields.count > 14 else { continue }
            // Behind the name: state, parent, … and from the 12th on the times of itself and of children that ended.
            if process == postmaster { ticks += fields[11...14].compactMap { Int($0) }.reduce(0, +) }
            guard Int(fields[1]) == postmaster || others.contains(process) else { continue }
            ticks += fields[11...12].compactMap { Int($0) }.reduce(0, +)
        }
        guard ticks > 0 else { return nil }
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return ProcessorTime(
            server: .seconds(ticks) / sysconf(Int32(_SC_CLK_TCK)),
            program: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    private static func stat(_ process: Int) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: name)...].split(separator: " ")
    }
}
