import Synchronization
import Testing
@testable import HTTPLimits

/// The table alone: connections are objects, and time is given.
@Suite struct ConnectionTableTests {
    private final class Peer: Sendable {
        let ends = Mutex<[String]>([])
        var ending: [String] { ends.withLock { $0 } }
    }

    private let start = ContinuousClock.now

    private func limits(_ change: (inout ConnectionLimits) -> Void = { _ in }) -> ConnectionLimits {
        var limits = ConnectionLimits(connectionsPerAddress: 2)
        (limits.unsentPerConnection, limits.unsentPerAddress, limits.unsentInAll) = (100, 150, 400)
        change(&limits)
        return limits
    }

    private func open(_ table: ConnectionTable, _ peer: Peer, of address: String?, at seconds: Int = 0) -> Bool {
        table.open(
            ObjectIdentifier(peer), of: address,
            closing: .init(
                orderly: { peer.ends.withLock { $0.append("orderly") } },
                abrupt: { peer.ends.withLock { $0.append("abrupt") } }), now: start + .seconds(seconds))
    }

    @Test func `each address has its own connection limit, and a trusted proxy none`() {
        let table = ConnectionTable(limits: limits()), peers = (0..<8).map { _ in Peer() }
        #expect(open(table, peers[0], of: "a") && open(table, peers[1], of: "a"))
        #expect(!open(table, peers[2], of: "a"))
        #expect(open(table, peers[3], of: "b"))
        for peer in peers[4...] { #expect(open(table, peer, of: nil)) }
        table.close(ObjectIdentifier(peers[0]))
        #expect(open(table, peers[2], of: "a"))
        for peer in peers { table.close(ObjectIdentifier(peer)) }
        #expect(table.usage == .init())
    }

    @Test func `a connection beyond its own limit is closed, and counts no longer`() {
        let table = ConnectionTable(limits: limits()), peer = Peer(), id = ObjectIdentifier(peer)
        #expect(open(table, peer, of: "a"))
        table.wrote(100, at: .socket, of: id)
        #expect(peer.ending == [])
        table.wrote(1, at: .socket, of: id)
        #expect(peer.ending == ["abrupt"] && table.usage.unsent == 0 && table.usage.cut == 1)
        // What arrives late about it changes nothing.
        table.sent(101, at: .socket, of: id)
        table.wrote(500, at: .stream, of: id)
        #expect(peer.ending == ["abrupt"] && table.usage.unsent == 0)
        table.close(id)
        #expect(table.usage == .init(cut: 1))
    }

    @Test func `bytes of a stream that also wait at the socket count once`() {
        let table = ConnectionTable(limits: limits()), peer = Peer(), id = ObjectIdentifier(peer)
        #expect(open(table, peer, of: "a"))
        table.wrote(80, at: .stream, of: id)
        table.wrote(85, at: .socket, of: id)
        #expect(table.usage.unsent == 85 && peer.ending == [])
        table.sent(85, at: .socket, of: id)
        #expect(table.usage.unsent == 80)
        table.sent(80, at: .stream, of: id)
        #expect(table.usage.unsent == 0)
    }

    @Test func `beyond the limit of an address its connection longest without progress is closed`() {
        let table = ConnectionTable(limits: limits()), slow = Peer(), quick = Peer(), other = Peer()
        #expect(open(table, slow, of: "a") && open(table, quick, of: "a") && open(table, other, of: "b"))
        table.wrote(90, at: .socket, of: ObjectIdentifier(other), now: start)
        table.wrote(90, at: .socket, of: ObjectIdentifier(slow), now: start + .seconds(1))
        table.wrote(40, at: .socket, of: ObjectIdentifier(quick), now: start + .seconds(2))
        #expect(slow.ending == [])
        table.wrote(40, at: .socket, of: ObjectIdentifier(quick), now: start + .seconds(3))
        #expect(slow.ending == ["abrupt"] && quick.ending == [] && other.ending == [])
        #expect(table.usage.unsent == 170)
    }

    @Test func `beyond the limit of all the connection longest without progress is closed, of a proxy too`() {
        let table = ConnectionTable(limits: limits()), peers = (0..<5).map { _ in Peer() }
        for (number, peer) in peers.enumerated() {
            #expect(open(table, peer, of: nil))
            table.wrote(90, at: .socket, of: ObjectIdentifier(peer), now: start + .seconds(number))
            // The first one makes progress, so the second is the slowest.
            if number == 2 { table.sent(1, at: .socket, of: ObjectIdentifier(peers[0]), now: start + .seconds(3)) }
        }
        #expect(peers.map(\.ending) == [[], ["abrupt"], [], [], []])
    }

    @Test func `open streams and bodies that are held count for the address, not for the connection`() {
        let table = ConnectionTable(limits: limits { ($0.unsentPerAddress, $0.unsentInAll) = (40_000, 1 << 20) })
        let peer = Peer()
        let id = ObjectIdentifier(peer)
        #expect(open(table, peer, of: "a"))
        table.holds(5_000, on: id)
        table.streamIsOpen(true, on: id)
        table.streamIsOpen(true, on: id)
        #expect(peer.ending == [] && table.usage.unsent == 37_768)
        table.streamIsOpen(true, on: id)
        #expect(peer.ending == ["abrupt"])
    }

    @Test func `what makes no progress in time is closed, and what does is not`() {
        let table = ConnectionTable(limits: limits()), stalled = Peer(), slow = Peer(), idle = Peer()
        for peer in [stalled, slow] {
            #expect(open(table, peer, of: "a"))
            table.wrote(50, at: .socket, of: ObjectIdentifier(peer), now: start)
        }
        #expect(open(table, idle, of: "b"))
        table.sent(10, at: .socket, of: ObjectIdentifier(slow), now: start + .seconds(9))
        table.sweep(now: start + .milliseconds(9_999))
        #expect(stalled.ending == [])
        table.sweep(now: start + .seconds(10))
        #expect(stalled.ending == ["abrupt"] && slow.ending == [] && idle.ending == [])
        table.sweep(now: start + .seconds(19))
        #expect(slow.ending == ["abrupt"] && stalled.ending == ["abrupt"])
    }

    @Test func `a connection on which a stream has stalled gets two seconds for the next, until one makes progress`() {
        let table = ConnectionTable(limits: limits()), attacker = Peer(), reader = Peer()
        for peer in [attacker, reader] {
            let id = ObjectIdentifier(peer)
            #expect(open(table, peer, of: "a"))
            table.wrote(50, at: .stream, of: id, now: start)
            table.sent(50, at: .stream, of: id, isProgress: false, now: start + .seconds(9))
            table.wrote(50, at: .stream, of: id, now: start + .seconds(9))
        }
        // What the kernel takes, such as the end of a stream, is no progress of the others.
        table.wrote(9, at: .socket, of: ObjectIdentifier(attacker), now: start + .seconds(10))
        table.sent(9, at: .socket, of: ObjectIdentifier(attacker), now: start + .seconds(10))
        table.sent(25, at: .stream, of: ObjectIdentifier(reader), now: start + .seconds(10))
        table.sweep(now: start + .milliseconds(10_999))
        #expect(attacker.ending == [])
        table.sweep(now: start + .seconds(11))
        #expect(attacker.ending == ["abrupt"] && reader.ending == [])
        table.sweep(now: start + .milliseconds(19_999))
        #expect(reader.ending == [])
    }

    @Test func `streams that wait for their turn have it once there is room`() async {
        let table = ConnectionTable(limits: limits { ($0.unsentPerAddress, $0.unsentInAll) = (40_000, 1 << 20) })
        let peer = Peer(), streams = (0..<2).map { _ in Peer() }
        let id = ObjectIdentifier(peer)
        #expect(open(table, peer, of: "a"))
        table.wrote(60, at: .stream, of: id)
        await withTaskGroup(of: Void.self) { group in
            for stream in streams {
                group.addTask { await table.room(for: 10, by: ObjectIdentifier(stream), on: id) }
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(table.usage.unsent == 60)
            table.sent(60, at: .stream, of: id)
        }
        #expect(table.usage.unsent == 0 && peer.ending == [])
    }

    @Test func `a shutdown closes a connection without a request after its delay, and one with a request when it ends`()
    {
        let table = ConnectionTable(limits: limits()), idle = Peer(), busy = Peer()
        for peer in [idle, busy] {
            #expect(open(table, peer, of: "a"))
            table.drain(ObjectIdentifier(peer), now: start)
        }
        table.requestBegan(ObjectIdentifier(busy))
        table.sweep(now: start + .milliseconds(900))
        #expect(idle.ending == [])
        table.sweep(now: start + .seconds(1))
        #expect(idle.ending == ["orderly"] && busy.ending == [])
        // Its client does not answer.
        table.sweep(now: start + .seconds(2))
        #expect(idle.ending == ["orderly", "abrupt"] && busy.ending == [])
        table.requestEnded(ObjectIdentifier(busy), now: start + .seconds(3))
        table.sweep(now: start + .seconds(3))
        #expect(busy.ending == ["orderly"])
    }

    @Test func `a connection that never asks anything is closed after its time, whatever the protocol`() {
        let table = ConnectionTable(limits: limits()), peer = Peer()
        #expect(open(table, peer, of: "a"))
        table.sweep(now: start + .seconds(64))
        #expect(peer.ending == [])
        table.sweep(now: start + .seconds(65))
        #expect(peer.ending == ["orderly"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a writer waits for room until half of the limit is free or the connection ends`() async {
        let table = ConnectionTable(limits: limits()), peer = Peer(), id = ObjectIdentifier(peer)
        #expect(open(table, peer, of: "a"))
        let writers = (0..<3).map { _ in Peer() }.map { ObjectIdentifier($0) }
        // What is taken counts before it is written.
        await table.room(for: 60, by: writers[0], on: id)
        async let first: Void = table.room(for: 60, by: writers[1], on: id)
        table.wrote(60, at: .socket, of: id)
        table.passed(60, by: writers[0], on: id)
        table.sent(20, at: .socket, of: id)
        await first
        async let second: Void = table.room(for: 60, by: writers[2], on: id)
        table.close(id)
        await second
    }
}

@Suite struct DescriptorLimitTests {
    @Test func `connections are admitted below the descriptors with a reserve`() {
        let limit = DescriptorLimit(before: 1_024, soft: 1_024, hard: 1_024)
        #expect(limit.connections(wanted: 4_096, others: 30) == 1_024 - 128 - 30)
        #expect(limit.connections(wanted: 100, others: 30) == 100)
        #expect(DescriptorLimit(before: 64, soft: 64, hard: 64).connections(wanted: 4_096, others: 30) == 16)
    }

    @Test func `the limit is raised to the hard limit, at most to 65,536, and stays there`() {
        let first = DescriptorLimit.raise(), second = DescriptorLimit.raise()
        #expect(first.soft >= min(first.hard, DescriptorLimit.wanted))
        #expect(second == DescriptorLimit(before: first.soft, soft: first.soft, hard: first.hard))
    }
}
