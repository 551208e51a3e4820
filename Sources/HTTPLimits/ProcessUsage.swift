import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What this process takes of its machine, as its metrics tell it.
package enum ProcessUsage {
    /// The time that processors have worked for this process, in seconds.
    package static var processorSeconds: Double {
        var usage = rusage()
        // RUSAGE_SELF, whose type is another one on each system.
        getrusage(0, &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The memory that it holds, in bytes; `nil` where the system does not tell.
    package static var residentBytes: Int? {
        guard let pages = words("/proc/self/statm").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// When it started, in seconds since 1970; `nil` where the system does not tell. It stays what it was at the first
    /// look: the system reckons it from a clock that is set, and a changed start would look like a restart.
    package static let start: Double? = {
        // The name of the program may have spaces; it ends with the last bracket.
        let rest = words("/proc/self/stat", after: ")"), boot = words("/proc/stat", after: "btime")
        guard rest.count > 19, let ticks = Double(rest[19]), let began = boot.first.flatMap({ Double($0) }) else {
            return nil
        }
        return began + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    private static func words(_ path: String, after mark: String = "") -> [Substring] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        let text = String(decoding: data, as: UTF8.self)
        guard !mark.isEmpty else { return text.split { $0.isWhitespace } }
        return text.range(of: mark, options: .backwards).map { text[$0.upperBound...].split { $0.isWhitespace } } ?? []
    }

    /// The metrics in the Prometheus text format, by the names that other programs use too.
    package static var metrics: String {
        var lines = [
            "# HELP process_cpu_seconds_total Processor time of the process in seconds.",
            "# TYPE process_cpu_seconds_total counter", "process_cpu_seconds_total \(processorSeconds)",
        ]
        if let residentBytes {
            lines += [
                "# HELP process_resident_memory_bytes Memory that the process holds.",
                "# TYPE process_resident_memory_bytes gauge", "process_resident_memory_bytes \(residentBytes)",
            ]
        }
        if let start {
            lines += [
                "# HELP process_start_time_seconds When the process started, in seconds since 1970.",
                "# TYPE process_start_time_seconds gauge", "process_start_time_seconds \(start)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
