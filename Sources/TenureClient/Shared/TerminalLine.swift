import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads a line from the terminal on standard input, with or without echo.
///
/// The echo is restored however the reading ends: at the end of the line, on cancellation, and on signals that stop or
/// end the program. The signals take their course afterwards.
struct TerminalLine: Sendable {
    /// The maximum length of a line in bytes.
    static let maximumBytes = 4_096

    /// Whether standard input is a terminal.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - prompt: The prompt, written to standard error.
    ///   - hidden: Whether the echo is switched off.
    /// - Returns: The line without its end; `nil` at the end of the input.
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/promptUnavailable`` if standard input is not a
    ///   terminal, or ``TenureClientError/Kind/textInvalid`` if the line is not UTF-8; `CancellationError`.
    static func read(_ prompt: String, hidden: Bool) async throws -> String? {
        guard isPossible else { throw TenureClientError(.promptUnavailable) }
        let wake = try WakePipe()
        return try await withTaskCancellationHandler {
            try await BlockingWork.run {
                let guardian = try TerminalGuard(hidden: hidden, prompt: prompt, wake: wake)
                defer { guardian.restore() }
                return try readLine(wake)
            }
        } onCancel: {
            wake.signal()
        }
    }

    private static func readLine(_ wake: WakePipe) throws -> String? {
        var bytes: [UInt8] = []
        defer { for index in bytes.indices { bytes[index] = 0 } }
        while bytes.last != UInt8(ascii: "\n") {
            var waiting = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waiting, 2, -1)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0, waiting[1].revents == 0 else { throw CancellationError() }
            var part = [UInt8](repeating: 0, count: maximumBytes)
            let count = Foundation.read(STDIN_FILENO, &part, part.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count > 0 else { return bytes.isEmpty ? nil : try text(bytes[...]) }
            bytes += part[..<count]
            for index in part.indices { part[index] = 0 }
            guard bytes.count <= maximumBytes else { throw TenureClientError(.promptUnavailable) }
        }
        return try text(bytes.dropLast())
    }

    /// The text of a line. Bytes of another encoding are refused: repaired, different secrets would be the same.
    static func text(_ bytes: ArraySlice<UInt8>) throws(TenureClientError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let advice = "The terminal sent bytes that are not UTF-8. Set it to UTF-8, and type the entry again."
            throw TenureClientError(.init(rawValue: Kind.textInvalid.rawValue), nil, nil, [advice])
        }
        return text
    }

    private typealias Kind = TenureClientError.Kind
}

/// A pipe that wakes a thread waiting in `poll`.
final class WakePipe: Sendable {
    /// The descriptor that the thread waits for.
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StorageFailure() }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Wakes the thread, now or as soon as it waits.
    func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }
}
