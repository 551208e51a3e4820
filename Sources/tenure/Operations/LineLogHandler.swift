import Canonical
import Foundation
import Logging
import Synchronization

/// Writes each event of the log as one line on standard error.
///
/// A value comes out as it went in, whatever it holds: as text, a value that is not plain is a JSON string. What is
/// invisible or ends a line is escaped, so that no value begins a line of its own or changes what a terminal shows.
struct LineLogHandler: LogHandler {
    /// The form of a line.
    enum Format: String, CaseIterable, Sendable {
        /// `key=value`, with a JSON string for a value that is empty or not plain ASCII without `=`, `"` and `\`.
        case text
        /// A JSON object, whose members are strings.
        case json
    }

    /// The names of every line. A key of the metadata with such a name gets `metadata.` before it.
    private static let own: Set<String> = ["time", "level", "message", "source"]
    private static let standardError = Mutex(DescriptorWriter(descriptor: STDERR_FILENO))

    let format: Format
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(_ format: Format) { self.format = format }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Array(line(of: event, at: .now()).utf8)
        // If nobody takes the log, nobody can be told.
        Self.standardError.withLock { try? $0.write(line) }
    }

    /// The line of an event, with its end.
    func line(of event: LogEvent, at time: Timestamp) -> String {
        var values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { values["error"] = "\(error)" }
        let fields =
            [("time", "\(time)"), ("level", event.level.rawValue), ("message", "\(event.message)")]
            + values.map { (Self.key($0), "\($1)") }.sorted { $0.0 < $1.0 } + [("source", event.source)]
        switch format {
        case .text:
            return fields.map { key, value in
                key + "=" + (Self.isPlain(value) ? value : Self.quoted(value))
            }.joined(separator: " ") + "\n"
        case .json:
            return "{" + fields.map { "\"\($0)\":" + Self.quoted($1) }.joined(separator: ",") + "}\n"
        }
    }

    private static func key(_ name: String) -> String {
        let letters = name.unicodeScalars.map { scalar in
            ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                || "_.-".unicodeScalars.contains(scalar) ? scalar : "_"
        }
        let key = String(String.UnicodeScalarView(letters))
        return own.contains(key) ? "metadata." + key : key
    }

    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { (0x21...0x7E).contains($0) && ![0x22, 0x3D, 0x5C].contains($0) }
    }

    /// The value as a JSON string.
    private static func quoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    for unit in String(scalar).utf16 {
                        let digits = String(unit, radix: 16)
                        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    }
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text + "\""
    }
}
