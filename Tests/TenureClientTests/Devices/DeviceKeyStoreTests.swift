import Canonical
import Credentials
import Foundation
import Testing
@testable import TenureClient

@Suite struct StoreTests {
    private let account = AccountName(issuer: "i", companyName: "A", companyEmployeeId: "7")
    private let other = AccountName(issuer: "i", companyName: "A", companyEmployeeId: "8")

    private func inFolder(_ work: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await work(folder)
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    private func tokens(_ text: String) -> SessionTokens {
        SessionTokens(accessToken: text, expiresAt: Timestamp(microseconds: 5), refreshToken: text + "r")
    }

    @Test func `a key file and its directory are accessible to the owner only`() async throws {
        try await inFolder { folder in
            let store = FileDeviceKeyStore(directory: folder + "/deep/keys")
            #expect(try await store.key(of: account) == nil)
            let made = try await store.makeKey(of: account)
            let path = "\(folder)/deep/keys/\(account.identifier).key"
            #expect(try mode(path) == 0o600)
            #expect(try mode(folder + "/deep/keys") == 0o700)
            #expect(try await store.key(of: account)?.publicKey == made.publicKey)
            #expect(try await store.makeKey(of: account).publicKey == made.publicKey)
            #expect(try await store.makeKey(of: other).publicKey != made.publicKey)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/deep/keys").count == 2)
            try await store.removeKey(of: account)
            try await store.removeKey(of: account)
            #expect(try await store.key(of: account) == nil)
        }
    }

    @Test func `concurrent creations of a key all return the same key`() async throws {
        try await inFolder { folder in
            let account = account
            let keys = try await withThrowingTaskGroup(of: EmployeePublicKey.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await FileDeviceKeyStore(directory: folder + "/keys").keyOrNew(of: account).publicKey
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(keys.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/keys").count == 1)
        }
    }

    @Test func `a file that others can read and a link are refused and kept`() async throws {
        try await inFolder { folder in
            let store = FileDeviceKeyStore(directory: folder)
            _ = try await store.makeKey(of: account)
            let path = "\(folder)/\(account.identifier).key"
            for open in [0o644, 0o640, 0o602] {
                try FileManager.default.setAttributes([.posixPermissions: open], ofItemAtPath: path)
                #expect(await code { _ = try await store.key(of: account) } == "client.key_file_invalid")
                #expect(await code { _ = try await store.makeKey(of: account) } == "client.key_file_invalid")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(other.identifier).key", withDestinationPath: path)
            #expect(await code { _ = try await store.key(of: other) } == "client.key_file_invalid")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            let third = AccountName(issuer: "i", companyName: "B", companyEmployeeId: "7")
            #expect(await code { _ = try await store.makeKey(of: third) } == "client.key_file_invalid")
        }
    }

    @Test(arguments: ["", "zz\n", String(repeating: "0", count: 64), String(repeating: "ab", count: 100)])
    func `a malformed key file is refused and kept`(text: String) async throws {
        try await inFolder { folder in
            let path = "\(folder)/\(account.identifier).key"
            let isNew = try DeviceFile.create(path, Array(text.utf8))
            #expect(isNew)
            let store = FileDeviceKeyStore(directory: folder)
            #expect(await code { _ = try await store.keyOrNew(of: account) } == "client.key_file_invalid")
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        }
    }

    @Test func `tokens are replaced as a whole`() async throws {
        try await inFolder { folder in
            let store = FileSessionStore(directory: folder + "/sessions")
            #expect(try await store.tokens(of: account) == nil)
            try await store.keep(tokens("one"), of: account)
            try await store.keep(tokens("two"), of: account)
            #expect(try await store.tokens(of: account) == tokens("two"))
            #expect(try await store.tokens(of: other) == nil)
            #expect(try mode("\(folder)/sessions/\(account.identifier).json") == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/sessions").count == 1)
            try await store.removeTokens(of: account)
            #expect(try await store.tokens(of: account) == nil)
        }
    }

    @Test func `tokens that cannot be stored are an error`() async throws {
        try await inFolder { folder in
            #expect(FileManager.default.createFile(atPath: folder, contents: nil))
            let service = FakeService(asking: .asksForAnswers)
            let client = TenureClient(service, sessionStore: FileSessionStore(directory: folder + "/sessions"))
            guard case .validateAnswers(let step) = try await client.login(companyName: "A", companyEmployeeId: "7")
            else {
                Issue.record("another step")
                return
            }
            #expect(await code { _ = try await step.submit(threeAnswers) } == "client.storage_failed")
        }
    }

    @Test func `accounts differ by service, company and employee in canonical form`() {
        let names = [
            ("i", "A", "7"), ("j", "A", "7"), ("i", "B", "7"), ("i", "A", "8"), ("i", "A7", ""), ("iA", "", "7"),
        ]
        .map { AccountName(issuer: $0.0, companyName: $0.1, companyEmployeeId: $0.2) }
        #expect(Set(names).count == names.count)
        #expect(AccountName(issuer: "i", companyName: " a ", companyEmployeeId: "７") == names[0])
        #expect(names[0].identifier.count == 64)
    }
}

@Suite struct FileDeviceKeyTests {
    private func inFolder<Value>(_ work: (String) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder.path)
    }

    @Test func `a key is created once for its owner only, and found again`() throws {
        try inFolder { folder in
            let path = folder + "/key"
            let made = try FileDeviceKey.loadOrCreate(at: path)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(try FileDeviceKey.loadOrCreate(at: path).publicKey == made.publicKey)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660]) func `a key file that others can read is refused`(mode: Int) throws {
        try inFolder { folder in
            let path = folder + "/key"
            _ = try FileDeviceKey.loadOrCreate(at: path)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect { try FileDeviceKey.loadOrCreate(at: path) } throws: {
                ($0 as? TenureClientError)?.code == .keyFileInvalid
            }
        }
    }

    @Test func `a key file is accessible to others at no moment`() throws {
        try inFolder { folder in
            let lock = NSLock()
            nonisolated(unsafe) var (isDone, exposed) = (false, 0)
            Thread.detachNewThread {
                while !lock.withLock({ isDone }) {
                    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                        var status = stat()
                        guard lstat(folder + "/" + name, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
                        lock.withLock { exposed += 1 }
                    }
                }
            }
            for number in 0..<200 {
                _ = try FileDeviceKey.loadOrCreate(at: folder + "/\(number)")
                try FileManager.default.removeItem(atPath: folder + "/\(number)")
            }
            lock.withLock { isDone = true }
            #expect(lock.withLock { exposed } == 0)
        }
    }

    @Test func `a link to a key is refused and kept`() throws {
        try inFolder { folder in
            let (path, link) = (folder + "/key", folder + "/link")
            _ = try FileDeviceKey.loadOrCreate(at: path)
            for target in [path, folder + "/nowhere"] {
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
                #expect { try FileDeviceKey.loadOrCreate(at: link) } throws: {
                    ($0 as? TenureClientError)?.code == .keyFileInvalid
                }
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
                try FileManager.default.removeItem(atPath: link)
            }
        }
    }

    @Test(arguments: ["", "zz", String(repeating: "0", count: 64), String(repeating: "f", count: 64), "ab\n\n"])
    func `a malformed key file is refused and kept`(text: String) throws {
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
