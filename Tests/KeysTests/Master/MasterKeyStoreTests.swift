import Foundation
import Testing

@testable import Keys

@Suite struct MasterKeyStoreTests {
    @Test func `a version that was added to the file is found when it is asked for`() async throws {
        let directory = try KeyDirectory()
        let file = directory.file
        _ = try file.create()
        let store = try MasterKeyStore(file: file)
        try file.update { (keys) throws(KeysError) in try keys.addingVersion() }
        #expect(store.keys.current == 1)
        let same = try await store.keys(holding: [1])
        #expect(same.current == 1, "what is held needs no file")
        let read = try await store.keys(holding: [1, 2])
        #expect(read == (try file.load()) && store.keys.current == 2)
    }

    @Test func `a version that the file lacks stays unknown, and keys without a file are never read again`()
        async throws
    {
        let directory = try KeyDirectory()
        _ = try directory.file.create()
        for store in [try MasterKeyStore(file: directory.file), MasterKeyStore(try directory.file.load())] {
            let keys = try await store.keys(holding: [9])
            #expect(keys.heldVersions == [1])
            #expect(throws: KeysError.self) { try keys.key(version: 9) }
        }
    }

    @Test func `an older file does not take a version away`() async throws {
        let directory = try KeyDirectory()
        let old = try directory.file.create()
        let store = MasterKeyStore(try old.addingVersion(), file: directory.file)
        let keys = try await store.keys(holding: [3])
        #expect(keys.current == 2 && store.keys.current == 2)
    }
}
