import Foundation
public import Ledger

/// The file with the newest anchor, for whoever fetches it to keep it elsewhere.
public struct AnchorFile: Sendable {
    private let path: String

    /// The file at a path.
    public init(path: String) { self.path = path }

    /// Replaces the file in one step: a reader finds the old anchor or the new one.
    public func write(_ anchor: Anchor) throws {
        try Data(anchor.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
