#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Removes a directory that this process made.
enum DirectoryRemoval {
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
