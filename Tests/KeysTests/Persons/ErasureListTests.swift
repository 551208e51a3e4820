import Canonical
import Foundation
import Testing

@testable import Keys

@Suite struct ErasureListTests {
    private func entry(_ kind: ErasureList.Entry.Kind = .employee, _ id: UUID = UUID()) -> ErasureList.Entry {
        ErasureList.Entry(kind: kind, ledger: UUID(), id: id, time: Timestamp(microseconds: 1_700_000_000_000_000))
    }

    @Test func `a missing list is empty, and an addition creates it for its owner only`() throws {
        let directory = try KeyDirectory()
        #expect(try directory.list.read().isEmpty)
        let entries = [entry(.user), entry(), entry(.mpin)]
        try directory.list.add(entries)
        #expect(try directory.list.read() == entries)
        #expect(directory.list.path == directory.file.path + ".erased")
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.list.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try directory.names == ["master.json.erased"])
    }

    @Test func `the list contains each person once, in the order of the erasures`() throws {
        let directory = try KeyDirectory()
        let (first, second) = (entry(), entry())
        try directory.list.add([first])
        try directory.list.add([entry(.employee, first.id), second])
        try directory.list.add([])
        #expect(try directory.list.read() == [first, second])
    }

    @Test func `the list contains only ids and times`() throws {
        let directory = try KeyDirectory()
        try directory.list.add([entry(.user)])
        let text = try String(contentsOfFile: directory.list.path, encoding: .utf8)
        let members = try #require(try StrictJSON.parse(Array(text.utf8.dropLast())).object)
        #expect(Set(members.keys) == ["id", "kind", "ledger", "time"])
    }

    @Test(arguments: ["x\n", "{}\n", #"{"id":"1","kind":"user","ledger":"2","time":"3"}"# + "\n"])
    func `a malformed list stops the command and stays unchanged`(text: String) throws {
        let directory = try KeyDirectory()
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.list.path))
        let read = #expect(throws: KeysError.self) { try directory.list.read() }
        let added = #expect(throws: KeysError.self) { try directory.list.add([entry()]) }
        #expect(read?.code == .erasureListUnusable && added?.code == .erasureListUnusable)
        #expect(try String(contentsOfFile: directory.list.path, encoding: .utf8) == text)
    }

    @Test func `concurrent additions are serialized, and none is lost`() async throws {
        let directory = try KeyDirectory()
        let list = directory.list
        let entries = (0..<16).map { _ in entry() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for one in entries { group.addTask { try list.add([one]) } }
            try await group.waitForAll()
        }
        #expect(Set(try list.read()) == Set(entries))
    }
}

extension JSONValue {
    fileprivate var object: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
