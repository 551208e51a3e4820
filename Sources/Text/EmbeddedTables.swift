import CText
import Embedding

/// The tables that `scripts/unicode` makes.
enum EmbeddedTables {
    private static let files = unsafe EmbeddedFiles(
        count: text_count, names: text_names, bytes: text_bytes, sizes: text_sizes)

    /// A table without the lines at its beginning that say where it comes from.
    static func digits(of name: String) -> String {
        String(decoding: files["Tables/\(name).txt"], as: UTF8.self)
            .split(separator: "\n").drop { $0.hasPrefix("#") }.joined()
    }
}
