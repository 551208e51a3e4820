/// The banner that is printed once the service is ready.
struct Banner: Sendable {
    /// One aligned line.
    struct Line: Sendable, Equatable {
        var label: String
        var value: String
        var note: String = ""
    }

    var version: String
    /// The time from the start of the process to readiness.
    var readyAfter: Duration
    var lines: [Line]
    /// A command to copy and run.
    var firstCall: String?
    /// The last line, emphasized.
    var warning: String?

    /// Renders the banner in the style of the terminal.
    func rendered(on terminal: Terminal) -> String {
        let name = Style.strong.apply("Tenure \(version)", on: terminal)
        var text = "\n\(name)   ready in \(ProgressText.time(readyAfter))\n\n"
        let labels = lines.map(\.label.count).max() ?? 0
        let values = lines.filter { !$0.note.isEmpty }.map { DisplayWidth.of($0.value) }.max() ?? 0
        for line in lines {
            text += "  " + line.label + String(repeating: " ", count: labels - line.label.count + 3) + line.value
            if !line.note.isEmpty {
                let padding = String(repeating: " ", count: max(0, values - DisplayWidth.of(line.value)) + 3)
                text += padding + Style.quiet.apply(line.note, on: terminal)
            }
            text += "\n"
        }
        if let firstCall { text += "\nTry\n  \(firstCall)\n" }
        if let warning { text += "\n" + Style.caution.apply(warning, on: terminal) + "\n" }
        return text + "\n"
    }
}
