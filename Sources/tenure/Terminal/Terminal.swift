import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a stream can show. Standard output and standard error are asked separately: one may be a pipe.
struct Terminal: Sendable, Equatable {
    /// Whether a person is looking at it.
    var isInteractive: Bool
    /// Columns, 80 when nobody says.
    var width: Int
    /// Whether colour is wanted: on a terminal, unless `NO_COLOR` is set to something or `TERM` is `dumb`.
    var usesColour: Bool

    init(isInteractive: Bool, width: Int?, environment: [String: String]) {
        self.isInteractive = isInteractive
        self.width = width ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        self.usesColour = isInteractive && !refused && environment["TERM"] != "dumb"
    }

    /// The terminal behind a file descriptor.
    init(descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isInteractive = isatty(descriptor) == 1
        var size = winsize()
        let answered = isInteractive && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        self.init(
            isInteractive: isInteractive, width: answered ? Int(size.ws_col) : nil, environment: environment)
    }
}
