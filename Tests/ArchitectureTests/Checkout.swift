import Foundation

/// The checkout that this test was compiled from, read as text.
enum Checkout {
    /// One text file.
    struct File: Sendable {
        /// The path below the checkout's root.
        let path: String
        let text: String

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// All files below `folder` whose name ends in one of `endings` (all when empty), in a stable order.
    static func files(in folder: String, endingIn endings: [String] = []) throws -> [File] {
        // The folder itself may be a symbolic link; an enumerator does not follow one.
        let start = root.appendingPathComponent(folder).resolvingSymlinksInPath()
        guard let walk = FileManager.default.enumerator(at: start, includingPropertiesForKeys: [.isRegularFileKey])
        else { return [] }
        var found: [File] = []
        for case let url as URL in walk {
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            guard endings.isEmpty || endings.contains(where: url.lastPathComponent.hasSuffix) else { continue }
            // A file that is not UTF-8 is data, not a text to hold to these rules.
            guard let text = String(data: try Data(contentsOf: url), encoding: .utf8) else { continue }
            found.append(File(path: folder + url.path.dropFirst(start.path.count), text: text))
        }
        return found.sorted { $0.path < $1.path }
    }

    /// One file, or `nil` when it does not exist.
    static func file(_ path: String) -> File? {
        guard let data = FileManager.default.contents(atPath: root.appendingPathComponent(path).path),
            let text = String(data: data, encoding: .utf8)
        else { return nil }
        return File(path: path, text: text)
    }

    /// The Swift files of every target with the target's name.
    static func sources() throws -> [(target: String, file: File)] {
        let inSources = try files(in: "Sources", endingIn: [".swift"]).compactMap { file in
            let parts = file.path.split(separator: "/")
            return parts.count > 2 ? (String(parts[1]), file) : nil
        }
        return inSources + (try files(in: "schema", endingIn: [".swift"])).map { ("Schema", $0) }
    }
}
