import Foundation
import Postgres

/// Processor time of the server and of this program: what an append costs however busy the machine is.
struct ProcessorTime: Sendable {
    /// Of all processes of the server, those that have ended included, and of others that are measured with them.
    var server: Duration
    var program: Duration

    /// Of both, in microseconds.
    var microseconds: Double { (server + program).inSeconds * 1e6 }

    static func - (left: ProcessorTime, right: ProcessorTime) -> ProcessorTime {
        ProcessorTime(server: left.server - right.server, program: left.program - right.program)
    }

    /// The time used so far; nil where the system has no `/proc`.
    ///
    /// - Parameter others: Processes that are measured with the server's.
    static func now(_ postmaster: Int, _ others: [Int] = []) -> ProcessorTime? {
        // Again if a process of the server ended meanwhile: it may have counted twice or not at all.
        for _ in 0..<10 {
            guard let ended = ended(postmaster),
                let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
            else { return nil }
            var server = ended
            for process in names.compactMap({ Int($0) }) {
                guard let fields = stat(process), fields.count > 14 else { continue }
                guard process == postmaster || Int(fields[1]) == postmaster || others.contains(process) else {
                    continue
                }
                server += clock(of: process) ?? ticks(fields[11...12])
            }
            var time = timespec()
            guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
            guard Self.ended(postmaster) == ended else { continue }
            return ProcessorTime(server: server, program: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
        }
        return nil
    }

    /// The time of the server's processes that have ended.
    private static func ended(_ postmaster: Int) -> Duration? {
        guard let fields = stat(postmaster), fields.count > 14 else { return nil }
        return ticks(fields[13...14])
    }

    /// The time of a process by its own clock, which is finer than ticks; nil where there is none.
    private static func clock(of process: Int) -> Duration? {
        #if os(Linux)
        var clock = clockid_t(), time = timespec()
        guard clock_getcpuclockid(pid_t(process), &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        #else
        return nil
        #endif
    }

    private static func ticks(_ fields: ArraySlice<Substring>) -> Duration {
        .seconds(fields.compactMap { Int($0) }.reduce(0, +)) / sysconf(Int32(_SC_CLK_TCK))
    }

    /// The fields behind the name: state, parent, … and from the 12th on the times of itself and of children that ended.
    private static func stat(_ process: Int) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: name)...].split(separator: " ")
    }
}
