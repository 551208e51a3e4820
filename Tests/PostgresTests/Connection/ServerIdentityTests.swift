import Testing

@testable import Postgres

struct ServerMemoryTests {
    private func primary(_ timeline: Int64, system: Int64 = 7, progress: Int64? = nil) -> SeenServer {
        SeenServer(identity: ServerIdentity(system: system, timeline: timeline), progress: progress)
    }

    @Test func `a server on an older timeline of the same cluster is refused`() {
        var memory = ServerMemory()
        #expect(memory.judge(primary(1)) == .current)
        #expect(memory.judge(primary(2)) == .current)
        #expect(memory.judge(primary(1)) == .olderTimeline(newest: 2))
        #expect(memory.judge(primary(2)) == .current)
        #expect(memory.newest == ServerIdentity(system: 7, timeline: 2))
    }

    @Test func `a memory begins with what an earlier process kept`() {
        var memory = ServerMemory(newest: ServerIdentity(system: 7, timeline: 3), progress: 10)
        #expect(memory.judge(primary(2, progress: 10)) == .olderTimeline(newest: 3))
        #expect(memory.judge(primary(3, progress: 9)) == .lacksProgress(required: 10))
        #expect(memory.judge(primary(3, progress: 10)) == .current)
    }

    @Test func `a server of another cluster is judged by its progress alone`() {
        var memory = ServerMemory(newest: ServerIdentity(system: 7, timeline: 3), progress: 10)
        #expect(memory.judge(primary(1, system: 8, progress: 9)) == .lacksProgress(required: 10))
        #expect(memory.newest?.system == 7)
        #expect(memory.judge(primary(1, system: 8, progress: 10)) == .current)
        #expect(memory.newest == ServerIdentity(system: 8, timeline: 1))
        #expect(memory.judge(primary(2, progress: 11)) == .olderTimeline(newest: 3))
    }

    @Test func `the required progress never falls, and counts only where it can be read`() {
        var memory = ServerMemory()
        memory.require(progress: 5)
        memory.require(progress: 4)
        #expect(memory.judge(primary(1, progress: 4)) == .lacksProgress(required: 5))
        #expect(memory.judge(primary(1)) == .current)
    }

    @Test func `a refused server is not remembered`() {
        var memory = ServerMemory(progress: 5)
        #expect(memory.judge(primary(2, progress: 4)) == .lacksProgress(required: 5))
        #expect(memory.newest == nil)
        #expect(memory.judge(primary(1, progress: 5)) == .current)
    }

    @Test func `a standby is neither refused nor remembered`() {
        var memory = ServerMemory(newest: ServerIdentity(system: 7, timeline: 2), progress: 5)
        var standby = primary(1, progress: 1)
        standby.isInRecovery = true
        #expect(memory.judge(standby) == .current)
        standby.identity = ServerIdentity(system: 7, timeline: 9)
        #expect(memory.judge(standby) == .current)
        #expect(memory.newest?.timeline == 2)
    }

    @Test func `a session is current until a newer timeline of its cluster is seen`() {
        var memory = ServerMemory()
        let old = ServerIdentity(system: 7, timeline: 1)
        #expect(memory.isCurrent(old))
        #expect(memory.judge(primary(1)) == .current)
        #expect(memory.judge(primary(9, system: 8)) == .current)
        #expect(memory.isCurrent(old))
        #expect(memory.judge(primary(2)) == .current)
        #expect(!memory.isCurrent(old))
    }
}

struct ServerIdentityTests {
    @Test func `a description is parsed back`() {
        let identity = ServerIdentity(system: 7_711_553_633_038_619_072, timeline: 12)
        #expect(ServerIdentity(identity.description) == identity)
        #expect(ServerIdentity("-1/1") == ServerIdentity(system: -1, timeline: 1))
    }

    @Test(arguments: ["", "7", "7/", "/1", "7/0", "7/-1", "7/1/1", "07/1", "7/+1", "7/1 ", "x/1"])
    func `any other text is refused`(_ text: String) {
        #expect(ServerIdentity(text) == nil)
    }
}
