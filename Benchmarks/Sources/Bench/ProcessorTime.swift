import Foundation

/// Processor time of the server and of this program: what an append costs however busy the machine is.
struct ProcessorTime: Sendable {
    /// Of all processes of the server, those that have ended included, and of others that are measured with them.
    let server: Duration
    let program: Duration

    /// Of both, in microseconds.
    var microseconds: Double { (server + program).inSeconds * 1e6 }

    /// Runs `body`; its result, and the time used meanwhile, which is nil where the system has no `/proc`.
    ///
    /// - Parameter others: Processes that are measured with the server's, and their children with them.
    static func of<Result>(
        _ postmaster: Int, _ others: [Int] = [], _ body: () async throws -> Result
    ) async throws -> (Result, ProcessorTime?) {
        let server = server(postmaster, others)
        // Between the two looks at the server, which cost this program milliseconds.
        let program = clock(CLOCK_PROCESS_CPUTIME_ID)
        let result = try await body()
        guard let program, let programAfter = clock(CLOCK_PROCESS_CPUTIME_ID), let server,
            let serverAfter = Self.server(postmaster, others)
        else { return (result, nil) }
        return (result, ProcessorTime(server: serverAfter - server, program: programAfter - program))
    }

    private static func server(_ postmaster: Int, _ others: [Int]) -> Duration? {
        // Again if a process of the server ended meanwhile: it may have counted twice or not at all.
        for _ in 0..<10 {
            guard let ended = ended(postmaster),
                let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
            else { return nil }
            let times = names.compactMap { Int($0) }.map { process in
                let isMeasured = ([postmaster] + others).contains { $0 == process || $0 == parent(process) }
                return isMeasured ? clock(of: process) ?? .zero : .zero
            }
            if Self.ended(postmaster) == ended { return times.reduce(ended, +) }
        }
        return nil
    }

    /// The time of the server's processes that have ended.
    private static func ended(_ postmaster: Int) -> Duration? {
        guard let fields = stat(postmaster) else { return nil }
        return .seconds(fields[13...14].compactMap { Int($0) }.reduce(0, +)) / sysconf(Int32(_SC_CLK_TCK))
    }

    private static func parent(_ process: Int) -> Int? { stat(process).flatMap { Int($0[1]) } }

    /// The time of a process by its own clock, which is finer than the ticks of `/proc`.
    private static func clock(of process: Int) -> Duration? {
        #if os(Linux)
        var number = clockid_t()
        return clock_getcpuclockid(pid_t(process), &number) == 0 ? clock(number) : nil
        #else
        return nil
        #endif
    }

    private static func clock(_ number: clockid_t) -> Duration? {
        var time = timespec()
        guard clock_gettime(number, &time) == 0 else { return nil }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The fields behind the name: state, parent, … and from the 14th on the times of children that ended.
    private static func stat(_ process: Int) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        return fields.count > 14 ? fields : nil
    }
}
