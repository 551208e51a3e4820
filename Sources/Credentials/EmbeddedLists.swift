import CCredentials
import Embedding

/// The lists that are files beside the code.
enum EmbeddedLists {
    private static let files = unsafe EmbeddedFiles(
        count: credentials_count, names: credentials_names, bytes: credentials_bytes, sizes: credentials_sizes)

    /// The lines of a list, without those that say where it comes from.
    static func lines(of name: String) -> [Substring] {
        String(decoding: files[name], as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
}
