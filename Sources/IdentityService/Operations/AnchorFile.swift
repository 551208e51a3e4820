import Foundation
public import Ledger

/// The file with the newest anchor, for copying it to another place and for the next start of the service.
public struct AnchorFile: Sendable {
    private let path: String

    /// The file at a path.
    public init(path: String) { self.path = path }

    /// Replaces the file atomically: a reader finds the old anchor or the new one.
    ///
    /// - Throws: The error of the file system.
    public func write(_ anchor: Anchor) throws {
        try Data(anchor.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Reads the anchor; `nil` if there is no file yet or it is empty.
    ///
    /// - Throws: ``AnchorFileError`` for a file that cannot be read or holds something else.
    public func read() throws(AnchorFileError) -> Anchor? {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw AnchorFileError(path: path, reason: "cannot be read")
        }
        guard !data.isEmpty else { return nil }
        do { return try Anchor(parsing: String(decoding: data, as: UTF8.self)) } catch {
            throw AnchorFileError(path: path, reason: "does not hold an anchor: \(error.reason)")
        }
    }
}

/// The anchor file cannot be used. Without it the service might take a server that lacks what the anchor vouches for.
public struct AnchorFileError: Error, CustomStringConvertible {
    /// The file.
    public let path: String
    /// What is wrong with it.
    public let reason: String
    /// The file, and what is wrong with it.
    public var description: String { "the anchor file \(path) \(reason)" }
}
