package import HummingbirdCore
package import NIOCore
import Synchronization

/// The open connections of a server, with what each has left unsent.
///
/// It knows no sockets: a connection is a number and two ways to close it. ``BoundedChannel`` and the handlers of the
/// pipelines tell it what happens; ``sweep(now:)`` is called from time to time.
package final class ConnectionTable: Sendable {
    /// The number of a connection.
    package typealias ID = ObjectIdentifier

    /// How a connection is closed.
    package struct Closing: Sendable {
        /// Closes in order: what TLS and HTTP/2 say at the end is sent.
        var orderly: @Sendable () -> Void
        /// Closes at once and drops what is unsent.
        var abrupt: @Sendable () -> Void
    }

    /// Where bytes wait. Bytes of a stream also wait at the socket once their window is open.
    package enum Place: Sendable {
        /// For the kernel to take them.
        case socket
        /// For the window of an HTTP/2 stream to open.
        case stream
    }

    /// What is open and unsent at a moment.
    package struct Usage: Sendable, Equatable {
        package var connections = 0
        /// The addresses that are not a trusted proxy's and have an open connection.
        package var addresses = 0
        /// The weight of all that is unsent, in bytes.
        package var unsent = 0
        /// The connections that were closed because they left too much unsent or made no progress.
        package var cut = 0
    }

    package let limits: ConnectionLimits
    private let state = Mutex(State())

    package init(limits: ConnectionLimits) { self.limits = limits }

    /// What is open and unsent now.
    package var usage: Usage {
        state.withLock {
            Usage(
                connections: $0.entries.count, addresses: $0.addresses.count, unsent: $0.unsent, cut: $0.cut)
        }
    }
}

extension ConnectionTable {
    /// Records a new connection. Returns `false` if its address has as many as it may.
    ///
    /// - Parameter address: The address that the limits of one address apply to; `nil` for a trusted proxy.
    package func open(
        _ id: ID, of address: String?, closing: Closing, now: ContinuousClock.Instant = .now
    ) -> Bool {
        state.withLock { state in
            if let address {
                var use = state.addresses[address] ?? AddressUse()
                guard use.connections < limits.connectionsPerAddress else { return false }
                use.connections += 1
                state.addresses[address] = use
            }
            state.entries[id] = Entry(
                address: address, closing: closing, socketProgress: now, streamProgress: now, idleSince: now)
            return true
        }
    }

    /// Forgets a connection that is closed.
    package func close(_ id: ID) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard let entry = state.entries.removeValue(forKey: id) else { return [] }
            state.add(-entry.weight, to: entry.address)
            if let address = entry.address, var use = state.addresses[address] {
                use.connections -= 1
                state.addresses[address] = use.connections > 0 ? use : nil
            }
            return entry.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Counts a request whose head has arrived.
    package func requestBegan(_ id: ID) {
        state.withLock { $0.entries[id]?.requests += 1 }
    }

    /// Counts a request as over: its reply was sent, or it never will be.
    package func requestEnded(_ id: ID, now: ContinuousClock.Instant = .now) {
        state.withLock {
            $0.entries[id]?.requests -= 1
            $0.entries[id]?.idleSince = now
        }
    }

    /// Closes the connection soon, once it has no request.
    package func drain(_ id: ID, now: ContinuousClock.Instant = .now) {
        state.withLock { if $0.entries[id]?.drainsSince == nil { $0.entries[id]?.drainsSince = now } }
    }
}

extension ConnectionTable {
    /// Counts bytes as unsent, and closes connections until the limits hold again.
    package func wrote(_ bytes: Int, at place: Place, of id: ID, now: ContinuousClock.Instant = .now) {
        cut(
            change(id) { entry in
                entry.begins(at: place, now, limits)
                entry.add(bytes, at: place)
            })
    }

    /// Counts bytes as sent, or as never to be sent.
    ///
    /// - Parameter isProgress: Whether the client took them. A stream that was closed because it made no progress
    ///   leaves its connection only a little time for the next one.
    package func sent(
        _ bytes: Int, at place: Place, of id: ID, isProgress: Bool = true, now: ContinuousClock.Instant = .now
    ) {
        cut(
            change(id) { entry in
                if isProgress { entry.progress(at: place, now) }
                if place == .stream { entry.hasStalled = !isProgress }
                entry.add(-bytes, at: place)
            })
    }

    /// Counts a stream of HTTP/2 as open, with what it costs besides its bytes, or as no longer open.
    package func streamIsOpen(_ isOpen: Bool, on id: ID) {
        cut(change(id) { $0.openStreams += isOpen ? 1 : -1 })
    }

    /// Counts the part of a body that is yet to be written.
    package func holds(_ bytes: Int, on id: ID) { cut(change(id) { $0.held += bytes }) }

    /// Waits until the connection has less than half of the unsent bytes that it may have, and takes a part of the rest
    /// for a piece that is about to be written. Many replies on one connection take turns that way, instead of
    /// exceeding its limit together.
    ///
    /// - Parameter writer: The channel that is written to. ``passed(_:by:on:)`` gives the part back.
    package func room(for bytes: Int, by writer: ID, on id: ID) async {
        while !state.withLock({ $0.reserve(bytes, by: writer, on: id, limits) }) {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard let entry = state.entries[id], !entry.isCut, !entry.hasRoom(limits) else { return false }
                    state.entries[id]?.waiters.append(continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        }
    }

    /// Gives back what a writer has taken: bytes that count as written from now on, or all when its channel has ended.
    package func passed(_ bytes: Int? = nil, by writer: ID, on id: ID) {
        cut(
            change(id) { entry in
                let taken = entry.reservations[writer] ?? 0
                entry.reservations[writer] = bytes.flatMap { $0 < taken ? taken - $0 : nil }
            })
    }

    /// Changes an entry. Returns the connections to close, whose bytes count no longer.
    private func change(_ id: ID, _ body: (inout Entry) -> Void) -> [Closing] {
        let (closings, waiters) = state.withLock { state -> ([Closing], [CheckedContinuation<Void, Never>]) in
            guard var entry = state.entries[id], !entry.isCut else { return ([], []) }
            let before = entry.weight
            body(&entry)
            var waiters: [CheckedContinuation<Void, Never>] = []
            if entry.hasRoom(limits) { swap(&waiters, &entry.waiters) }
            state.entries[id] = entry
            let growth = entry.weight - before
            state.add(growth, to: entry.address)
            return (growth > 0 ? state.beyond(limits, id) : [], waiters)
        }
        for waiter in waiters { waiter.resume() }
        return closings
    }

    /// Closes at once. Who waits for room on a connection that ends is released when its channel has closed.
    private func cut(_ closings: [Closing]) { for closing in closings { closing.abrupt() } }
}

extension ConnectionTable {
    /// Closes what has made no progress, what is idle beyond its time, and what a shutdown waits for in vain.
    package func sweep(now: ContinuousClock.Instant = .now) {
        let (abrupt, orderly) = state.withLock { state -> ([Closing], [Closing]) in
            var abrupt: [Closing] = [], orderly: [Closing] = []
            for (id, entry) in state.entries where !entry.isCut {
                switch entry.verdict(limits, now) {
                case .stays: break
                case .stalls: abrupt.append(contentsOf: state.cut(id))
                case .hasEnded where entry.closesSince == nil:
                    state.entries[id]?.closesSince = now
                    orderly.append(entry.closing)
                case .hasEnded: break
                }
            }
            return (abrupt, orderly)
        }
        cut(abrupt)
        for closing in orderly { closing.orderly() }
    }

    /// The pause between two sweeps: a quarter of the shortest time that a sweep enforces.
    package var sweepPause: Duration {
        min(.seconds(1), max(.milliseconds(20), min(limits.stallTimeout, limits.drainDelay, limits.idleTimeout) / 4))
    }
}

/// What an address has open and unsent.
private struct AddressUse {
    var connections = 0
    var unsent = 0
}

/// One open connection.
private struct Entry {
    /// What an open stream costs besides its bytes: its channel, its handlers and the task that answers it.
    static let streamWeight = 16 * 1_024
    /// How much longer than its own timer a connection may be idle, before it is closed from here.
    static let idleGrace: Duration = .seconds(5)

    let address: String?
    let closing: ConnectionTable.Closing
    /// When the kernel took bytes last, or when there were first some to take.
    var socketProgress: ContinuousClock.Instant
    /// The same of the windows of the streams. The kernel takes what closes a stream, which helps no other one.
    var streamProgress: ContinuousClock.Instant
    var idleSince: ContinuousClock.Instant
    var drainsSince: ContinuousClock.Instant?
    /// When the orderly end began.
    var closesSince: ContinuousClock.Instant?
    var isCut = false
    /// Whether the newest bytes of a stream that are over were given up.
    var hasStalled = false
    var requests = 0
    var socket = 0
    var streams = 0
    var openStreams = 0
    var held = 0
    /// What each writer has taken for its next piece.
    var reservations: [ConnectionTable.ID: Int] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Whether another piece may be written.
    func hasRoom(_ limits: ConnectionLimits) -> Bool {
        unsent + reservations.values.reduce(0, +) < limits.unsentPerConnection / 2
    }

    /// The unsent bytes. Those of a stream may wait at the socket too, where they count as the same bytes.
    var unsent: Int { max(socket, streams) }
    /// What the connection takes of the limits of its address and of all.
    var weight: Int { isCut ? 0 : unsent + held + openStreams * Self.streamWeight }

    mutating func add(_ bytes: Int, at place: ConnectionTable.Place) {
        switch place {
        case .socket: socket += bytes
        case .stream: streams += bytes
        }
    }

    mutating func begins(
        at place: ConnectionTable.Place, _ now: ContinuousClock.Instant, _ limits: ConnectionLimits
    ) {
        switch place {
        case .socket: if socket == 0 { socketProgress = now }
        case .stream: if streams == 0 { streamProgress = hasStalled ? now - limits.secondStall : now }
        }
    }

    mutating func progress(at place: ConnectionTable.Place, _ now: ContinuousClock.Instant) {
        switch place {
        case .socket: socketProgress = now
        case .stream: streamProgress = now
        }
    }

    /// When the slower of both places made progress last.
    var progressAt: ContinuousClock.Instant {
        streams == 0 ? socketProgress : socket == 0 ? streamProgress : min(socketProgress, streamProgress)
    }

    enum Verdict {
        case stays
        /// To be closed at once.
        case stalls
        /// To be closed in order.
        case hasEnded
    }

    func verdict(_ limits: ConnectionLimits, _ now: ContinuousClock.Instant) -> Verdict {
        if let closesSince { return now - closesSince >= limits.drainDelay ? .stalls : .stays }
        if unsent > 0, now - progressAt >= limits.stallTimeout { return .stalls }
        guard requests == 0, unsent == 0 else { return .stays }
        if let drainsSince, now - drainsSince >= limits.drainDelay { return .hasEnded }
        return now - idleSince >= limits.idleTimeout + Self.idleGrace ? .hasEnded : .stays
    }
}

/// The connections, and the sums over them.
private struct State {
    var entries: [ConnectionTable.ID: Entry] = [:]
    var addresses: [String: AddressUse] = [:]
    var unsent = 0
    var cut = 0

    mutating func add(_ weight: Int, to address: String?) {
        unsent += weight
        if let address { addresses[address]?.unsent += weight }
    }

    /// Takes a part of the room. Returns `false` if there is none. What has ended has room: nothing of it is written.
    mutating func reserve(
        _ bytes: Int, by writer: ConnectionTable.ID, on id: ConnectionTable.ID, _ limits: ConnectionLimits
    ) -> Bool {
        guard let entry = entries[id], !entry.isCut else { return true }
        guard entry.hasRoom(limits) else { return false }
        entries[id]?.reservations[writer, default: 0] += bytes
        return true
    }

    /// Marks connections for closing until the limits hold: one that exceeds its own limit, then of its address, then
    /// of all, each time the one longest without progress.
    mutating func beyond(_ limits: ConnectionLimits, _ id: ConnectionTable.ID) -> [ConnectionTable.Closing] {
        guard let entry = entries[id] else { return [] }
        var closings = entry.unsent > limits.unsentPerConnection ? cut(id) : []
        if let address = entry.address {
            while let use = addresses[address], use.unsent > limits.unsentPerAddress {
                let slowest = longestWithoutProgress { $0.address == address }
                guard let slowest else { break }
                closings += cut(slowest)
            }
        }
        while unsent > limits.unsentInAll, let slowest = longestWithoutProgress({ _ in true }) {
            closings += cut(slowest)
        }
        return closings
    }

    /// Marks a connection as being closed. What it left unsent counts no longer.
    mutating func cut(_ id: ConnectionTable.ID) -> [ConnectionTable.Closing] {
        guard let entry = entries[id], !entry.isCut else { return [] }
        add(-entry.weight, to: entry.address)
        entries[id]?.isCut = true
        cut += 1
        return [entry.closing]
    }

    private func longestWithoutProgress(_ isMeant: (Entry) -> Bool) -> ConnectionTable.ID? {
        entries.filter { $0.value.weight > 0 && isMeant($0.value) }.min { $0.value.progressAt < $1.value.progressAt }?
            .key
    }
}

extension ConnectionTable {
    /// The bytes that are written at once.
    package static let pieceBytes = 16 * 1_024

    /// Returns a body that is written in pieces of 16 KB. Each waits until the channel takes it and the connection has
    /// room, so that a client that reads slowly leaves no more than a few pieces unsent. One piece waits here.
    ///
    /// - Parameters:
    ///   - buffer: The bytes.
    ///   - isShared: Whether many replies share the bytes, so that one that waits takes no memory for them.
    ///   - channel: The channel of the connection or of the stream.
    ///   - afterwards: Called once the last byte was written.
    package func body(
        of buffer: ByteBuffer, isShared: Bool, on channel: any Channel,
        afterwards: (@Sendable () async -> Void)? = nil
    ) async -> ResponseBody {
        let (id, writer) = Self.numbers(of: channel)
        guard buffer.readableBytes > Self.pieceBytes || afterwards != nil else {
            await room(for: buffer.readableBytes, on: channel)
            return ResponseBody(byteBuffer: buffer)
        }
        return ResponseBody(contentLength: buffer.readableBytes) { [self] output in
            var rest = buffer, held = isShared ? 0 : buffer.readableBytes
            holds(held, on: id)
            defer { holds(-held, on: id) }
            while let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes)),
                piece.readableBytes > 0
            {
                await room(for: piece.readableBytes, on: channel)
                do {
                    try await output.write(piece)
                } catch {
                    passed(piece.readableBytes, by: writer, on: id)
                    throw error
                }
                if !isShared {
                    holds(-piece.readableBytes, on: id)
                    held -= piece.readableBytes
                }
            }
            try await output.finish(nil)
            await afterwards?()
        }
    }

    /// Returns a body of unknown length. Each piece is made when the one before was written, and waits until the
    /// connection has room for it.
    ///
    /// - Parameters:
    ///   - next: Makes the next piece; `nil` ends the body.
    ///   - channel: The channel of the connection or of the stream.
    package func body(
        of next: @escaping @Sendable () async -> [UInt8]?, on channel: any Channel
    ) -> ResponseBody {
        ResponseBody { [self] output in
            let (id, writer) = Self.numbers(of: channel)
            while let piece = await next() {
                await room(for: piece.count, on: channel)
                do {
                    try await output.write(ByteBuffer(bytes: piece))
                } catch {
                    passed(piece.count, by: writer, on: id)
                    throw error
                }
            }
            try await output.finish(nil)
        }
    }

    /// Waits for room, and gives it back if the channel has ended meanwhile: nothing of it will be written.
    private func room(for bytes: Int, on channel: any Channel) async {
        let (id, writer) = Self.numbers(of: channel)
        await room(for: bytes, by: writer, on: id)
        if !channel.isActive { passed(by: writer, on: id) }
    }

    /// The numbers of a channel's connection and of the channel itself.
    private static func numbers(of channel: any Channel) -> (connection: ID, writer: ID) {
        let connection = channel.parent?.parent == nil ? channel : channel.parent ?? channel
        return (ObjectIdentifier(connection), ObjectIdentifier(channel))
    }
}
