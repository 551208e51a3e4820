/// Turns the contract's descriptions into paragraphs.
///
/// Of Markdown it knows paragraphs, lists with `*` or `-`, and code in backticks. Code that names an operation, a
/// schema or an error code becomes a link.
struct ReferenceProse: Sendable {
    /// The fragment for a name that the page explains.
    let anchors: [String: String]

    /// Paragraphs and lists.
    func blocks(_ text: String) -> Markup {
        var blocks: [Markup] = []
        for lines in paragraphs(text) {
            if lines.allSatisfy(isContinued) {
                blocks.append("<ul>\(items(lines).map { "<li>\(line($0))</li>" as Markup }.joined())</ul>")
            } else {
                blocks.append("<p>\(line(lines.joined(separator: " ")))</p>")
            }
        }
        return blocks.joined()
    }

    /// One line with code in backticks.
    func line(_ text: String) -> Markup {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        // An odd number of backticks is no pair at the end.
        guard parts.count % 2 == 1 else { return Markup(text: text) }
        return parts.enumerated().map { index, part in
            index % 2 == 0 ? Markup(text: String(part)) : code(String(part))
        }.joined(separator: "")
    }

    /// Code, as a link if the page explains it.
    func code(_ name: String) -> Markup {
        if let anchor = anchors[name] { return "<a href=\"#\(anchor)\"><code>\(name)</code></a>" }
        return "<code>\(name)</code>"
    }

    private func paragraphs(_ text: String) -> [[Substring]] {
        var paragraphs: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy({ $0 == " " }) {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1].append(line)
            }
        }
        return paragraphs.filter { !$0.isEmpty }
    }

    private func isItem(_ line: Substring) -> Bool { line.hasPrefix("* ") || line.hasPrefix("- ") }

    private func isContinued(_ line: Substring) -> Bool { isItem(line) || line.hasPrefix("  ") }

    private func items(_ lines: [Substring]) -> [String] {
        var items: [String] = []
        for line in lines {
            if isItem(line) || items.isEmpty {
                items.append(String(line.dropFirst(2)))
            } else {
                items[items.count - 1] += " " + line.drop { $0 == " " }
            }
        }
        return items
    }
}
