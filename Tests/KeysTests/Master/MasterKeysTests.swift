import Canonical
import Foundation
import Testing
@testable import Keys

@Suite struct MasterKeysTests {
    private static let one = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
    private static let two = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="

    @Test func `the JSON of master keys round-trips`() throws {
        let text = #"{"current":2,"keys":{"1":"\#(Self.one)","2":"\#(Self.two)"}}"#
        let keys = try MasterKeys(environment: text)
        #expect(keys.current == 2)
        #expect(keys.heldVersions == [1, 2])
        #expect(try keys.key(version: 1).bytes == [UInt8](repeating: 1, count: 32))
        #expect(try keys.key(version: 2).bytes == [UInt8](repeating: 2, count: 32))
        #expect(String(decoding: keys.json(), as: UTF8.self) == text + "\n")
        #expect(try MasterKeys(json: keys.json()) == keys)
        let spaced = " {\n \"keys\" : {\"2\":\"\(Self.two)\",\"1\":\"\(Self.one)\"}, \"current\": 2 }\n"
        #expect(try MasterKeys(environment: spaced) == keys)
    }

    @Test(arguments: [
        "", "{}", "[]", one, #"{"current":1}"#, #"{"current":1,"keys":{}}"#, #"{"current":1,"keys":[]}"#,
        #"{"current":2,"keys":{"1":"\#(one)"}}"#, #"{"current":"1","keys":{"1":"\#(one)"}}"#,
        #"{"current":1,"keys":{"1":"AQEB"}}"#, #"{"current":1,"keys":{"1":"\#(one.dropLast())"}}"#,
        #"{"current":1,"keys":{"1":1}}"#, #"{"current":1,"keys":{"01":"\#(one)","1":"\#(two)"}}"#,
        #"{"current":0,"keys":{"0":"\#(one)"}}"#, #"{"current":-1,"keys":{"-1":"\#(one)"}}"#,
        #"{"current":2147483648,"keys":{"2147483648":"\#(one)"}}"#,
        #"{"current":1,"keys":{"1":"\#(one)","+2":"\#(two)"}}"#, #"{"current":1,"keys":{"1":"\#(one)","1":"\#(two)"}}"#,
        #"{"current":1,"keys":{"1":"\#(one)"},"more":1}"#, #"{"current":1,"keys":{"1":"\#(one)"}}x"#,
        #"{"current":1,"keys":{"1":"\#(one)","2":"\#(one)"}}"#, #"{"current":1,"keys":{"1":"\#(one)","\#(two)":1}}"#,
    ])
    func `anything else is refused, and the refusal repeats no secret`(text: String) {
        let error = #expect(throws: KeysError.self) { try MasterKeys(environment: text) }
        #expect(error?.code == .masterKeysInvalid)
        for shown in [error?.description, error?.remedy] {
            #expect(shown?.contains("AQEB") == false)
            #expect(shown?.contains("AgIC") == false)
        }
    }

    @Test func `random keys are of version 1 and differ`() throws {
        #expect(MasterKeys.random().heldVersions == [1])
        #expect(MasterKeys.random() != MasterKeys.random())
    }

    @Test func `an added version becomes the current one, and old ones stay`() throws {
        let first = try MasterKeys(current: 3, keys: [3: SecretKey(), 7: SecretKey()])
        let second = try first.addingVersion()
        #expect(second.current == 8)
        #expect(second.heldVersions == [3, 7, 8])
        #expect(try second.key(version: 3) == (try first.key(version: 3)))
        let last = try MasterKeys(current: Int(Int32.max), keys: [Int(Int32.max): SecretKey()])
        #expect(throws: KeysError.self) { try last.addingVersion() }
    }

    @Test func `only a held version other than the current one can be removed`() throws {
        let keys = try MasterKeys.random().addingVersion()
        #expect(try keys.removing(version: 1).heldVersions == [2])
        #expect(throws: KeysError.self) { try keys.removing(version: 2) }
        let error = #expect(throws: KeysError.self) { try keys.removing(version: 3) }
        #expect(error?.code == .masterVersionUnknown)
    }
}

@Suite struct MasterKeyStoreTests {
    @Test func `a version added to the file is found on request`() async throws {
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

    @Test func `a version missing in the file is unknown, and keys without a file are not reread`()
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

    @Test func `an older file does not remove a version`() async throws {
        let directory = try KeyDirectory()
        let old = try directory.file.create()
        let store = MasterKeyStore(try old.addingVersion(), file: directory.file)
        let keys = try await store.keys(holding: [3])
        #expect(keys.current == 2 && store.keys.current == 2)
    }
}
