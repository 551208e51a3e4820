import Foundation

/// The file descriptors of this process, as its metrics tell them.
package enum OpenDescriptors {
    /// How many are open; `nil` where the system does not tell.
    package static var count: Int? {
        // The directory itself is open while it is read.
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")).map { max(0, $0.count - 1) }
    }

    /// Gauges in the Prometheus text format, by the names that other programs use too.
    package static var metrics: String {
        let limit = DescriptorLimit.current
        var lines = [
            "# HELP process_max_fds Maximum number of open file descriptors.", "# TYPE process_max_fds gauge",
            "process_max_fds \(limit)",
        ]
        if let count {
            lines += [
                "# HELP process_open_fds Number of open file descriptors.", "# TYPE process_open_fds gauge",
                "process_open_fds \(count)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
