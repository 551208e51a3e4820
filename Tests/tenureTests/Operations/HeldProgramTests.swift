import Foundation
import TestSupport
import Testing

@testable import LocalDevelopment

@Suite struct HeldProgramTests {
    @Test func `a program's input ends when it is told to`() async throws {
        let directory = try TemporaryDirectory()
        let program = try HeldProgram(path: "/bin/cat", arguments: [], environment: [:], log: directory.log())
        program.endInput()
        #expect(try await program.end() == 0)
    }

    @Test func `a held program that ends early is noticed, and its words are in the log`() async throws {
        let directory = try TemporaryDirectory(), log = try directory.log()
        let program = try HeldProgram(
            path: "/bin/sh", arguments: ["-c", "echo out; echo \"$WORD\" >&2; exit 7"], environment: ["WORD": "err"],
            log: log)
        #expect(try await program.end() == 7)
        program.endInput()
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "out\nerr\n")
    }

    @Test func `a held program that does not exist is named`() async throws {
        let directory = try TemporaryDirectory()
        let program = try HeldProgram(path: "/nowhere/dta", arguments: [], environment: [:], log: directory.log())
        let failure = await #expect(throws: DevelopmentFailure.self) { try await program.end() }
        #expect(failure?.message.contains("/nowhere/dta") == true)
        program.endInput()
    }

    @Test func `no child is left when the parent is killed`() async throws {
        let directory = try TemporaryDirectory()
        let parent = try ChildProcess("DevelopmentParent", [directory.log()])
        var children: [Int32] = []
        for _ in 0..<600 where children.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            children = Self.children(of: parent.identifier)
        }
        #expect(children.count == 1)
        parent.kill()
        _ = await parent.finish()
        var left = children
        for _ in 0..<600 where !left.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            left = children.filter { Self.status(of: $0) != nil }
        }
        #expect(left == [])
    }

    private static func children(of parent: Int32) -> [Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.filter { status(of: $0) == parent }
    }

    /// The parent of a process; `nil` for one that has ended, even if nobody has asked for its status yet.
    private static func status(of process: Int32) -> Int32? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let fields = text.split(separator: ") ").last?.split(separator: " "), fields.count > 1, fields[0] != "Z"
        else { return nil }
        return Int32(fields[1])
    }
}

extension TemporaryDirectory {
    /// An empty file that only this user may read.
    fileprivate func log() throws -> String {
        try SecretFile.replace(at: path + "/log", with: "")
        return path + "/log"
    }
}
