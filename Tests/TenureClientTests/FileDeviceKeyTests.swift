import Credentials
import Foundation
import Testing

@testable import TenureClient

@Suite struct FileDeviceKeyTests {
    private func inFolder<Value>(_ work: (String) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder.path)
    }

    @Test func `a key is made once, for its owner alone, and found again`() throws {
        try inFolder { folder in
            let path = folder + "/key"
            let made = try FileDeviceKey.loadOrCreate(at: path)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(try FileDeviceKey.loadOrCreate(at: path).publicKey == made.publicKey)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660]) func `a file that others may read is no key`(mode: Int) throws {
        try inFolder { folder in
            let path = folder + "/key"
            _ = try FileDeviceKey.loadOrCreate(at: path)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect { try FileDeviceKey.loadOrCreate(at: path) } throws: {
                ($0 as? TenureClientError)?.code == .keyFileInvalid
            }
        }
    }

    @Test(arguments: ["", "zz", String(repeating: "0", count: 64), String(repeating: "f", count: 64), "ab\n\n"])
    func `what is no key is refused and kept`(text: String) throws {
        try inFolder { folder in
            let path = folder + "/key"
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
            #expect { try FileDeviceKey.loadOrCreate(at: path) } throws: {
                ($0 as? TenureClientError)?.code == .keyFileInvalid
            }
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        }
    }
}
