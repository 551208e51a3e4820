import Canonical
import Foundation
import Testing

@testable import TenureClient

@Suite struct `The store of M-Pin users` {
    private func place() -> String { NSTemporaryDirectory() + "tenure-mpin-" + UUID().uuidString }

    @Test func `a file is private and its name tells nothing`() async throws {
        let directory = place()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let device = try await MPinDevice(FakeMPinService(), store: FileMPinStore(directory: directory))
        _ = try await device.user(.registered)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(names.count == 1 && names.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{64}\.json/) != nil })
        let path = directory + "/" + names[0]
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(#""state":"REGISTERED""#) && text.contains(#""digits":4"#))
        #expect(text.contains(#""suite":"BLS12381-AMCL3-SHA256""#) && text.contains(#""epoch":1"#))
        #expect(!text.contains("regOTT") && !MPinDevice.shows("2741", in: text))
        let record = try #require(try await device.record())
        #expect(!"\(record) \(String(reflecting: record))".contains("mpinId"))
    }

    @Test func `files that others can read, damaged and misplaced ones are refused`() async throws {
        let directory = place()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let device = try await MPinDevice(FakeMPinService(), store: FileMPinStore(directory: directory))
        let user = try await device.user(.registered)
        let path = directory + "/" + (try FileManager.default.contentsOfDirectory(atPath: directory)[0])
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .storageError)
        #expect(await device.client.listUsers().status.status == .storageError)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try good.dropLast().write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .storageError)
        try FileManager.default.removeItem(atPath: path)
        let misplaced = directory + "/" + String(repeating: "0", count: 64) + ".json"
        try good.write(to: URL(fileURLWithPath: misplaced))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: misplaced)
        #expect(await device.client.listUsers().status.status == .storageError)
        #expect(await device.client.finishAuthentication(user, pin: "2741").status == .flowError, "the file is gone")
        #expect(user.getState() == .invalid)
    }

    @Test func `a record must have what its state needs`() async throws {
        let device = try await MPinDevice(FakeMPinService())
        _ = try await device.user(.registered)
        let good = try #require(try await device.record())
        #expect(MPinRecord(storedBytes: good.storedBytes) == good)
        guard case .object(let members) = try StrictJSON.parse(good.storedBytes) else { return }
        let changes: [[String: JSONValue]] = [
            ["state": "ACTIVATED"], ["state": "BLOCKED"], ["state": "INVALID"], ["state": "registered"],
            ["digits": 3], ["suite": "BN254"], ["regOTT": "00"], ["mpinId": "0G"], ["token": "0G"], ["version": 2],
            ["more": 1],
        ]
        for change in changes {
            let changed = JSONValue.object(members.merging(change) { _, new in new })
            #expect(MPinRecord(storedBytes: changed.canonicalBytes()) == nil, "\(change)")
        }
        for name in ["token", "digits", "suite", "epoch", "state", "mpinId", "backend", "userId"] {
            let changed = JSONValue.object(members.filter { $0.key != name })
            #expect(MPinRecord(storedBytes: changed.canonicalBytes()) == nil, "without \(name)")
        }
    }

    @Test func `names of users and backends are told apart`() {
        #expect(
            MPinRecord.identifier(backend: "https://a/mpin/b", userId: "c")
                != MPinRecord.identifier(backend: "https://a/mpin/", userId: "bc"))
    }
}
