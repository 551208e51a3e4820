/// The few ways in which words are set apart on a terminal that wants colour.
enum Style: String, Sendable, CaseIterable {
    case strong = "1"
    case quiet = "2"
    case good = "32"
    case caution = "33"
    case bad = "31"

    /// The text in this style, or as it is where colour is not wanted.
    func apply(_ text: String, on terminal: Terminal) -> String {
        terminal.usesColour ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
