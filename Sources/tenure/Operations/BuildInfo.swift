import Foundation

/// Which build of the program runs: its version, and the commit that `make install` wrote beside it.
struct BuildInfo: Sendable {
    /// The build of this process, as it was at the first look. A later one may lie in its place then.
    static let running = BuildInfo(program: Bundle.main.executablePath ?? "")

    let version = Tenure.version
    /// The commit; `unknown` if there is no `tenure.build` beside the program.
    let commit: String

    /// Reads the file with the name of a program and `.build`.
    init(program: String) {
        let text = String(decoding: FileManager.default.contents(atPath: program + ".build") ?? Data(), as: UTF8.self)
        let line: Substring? = text.split(separator: "\n").first { $0.hasPrefix("commit ") }
        // A label needs no escapes then.
        let named = (line ?? "commit unknown").dropFirst("commit ".count)
        commit = String(named.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " ") })
    }

    /// The metric in the Prometheus text format.
    var metrics: String {
        """
        # HELP tenure_build_info The program that runs.
        # TYPE tenure_build_info gauge
        tenure_build_info{version="\(version)",commit="\(commit)"} 1

        """
    }
}
