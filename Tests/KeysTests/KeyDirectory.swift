import Foundation

@testable import Keys

/// A directory of a test's own, removed with it.
final class KeyDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "keys-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: MasterKeyFile { MasterKeyFile(path: path + "/master.json") }
    var list: ErasureList { ErasureList(beside: file) }
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
