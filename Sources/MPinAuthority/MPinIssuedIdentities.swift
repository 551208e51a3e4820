import Canonical
import PrivateFiles
import Synchronization

/// The identities for which a D-TA has issued a share of a client key, each with the time of the first issue.
///
/// The file has a line for each: the SHA-256 of the identity's point as 64 hexadecimal digits, a space, the time, a line feed. Lines are only ever appended,
/// and a share leaves the D-TA after its line is on the disk. The whole list is in memory.
final class MPinIssuedIdentities: Sendable {
    /// How long after the first issue the same share is given again.
    static let window: Duration = .seconds(86_400)

    private static let lineLength = 64 + 1 + 27 + 1

    private struct State {
        var firstIssues: [Digest: Timestamp]
        /// The number of bytes of the file.
        var length: Int
        /// Whether an append failed, so that the end of the file is unknown.
        var isBroken = false
    }

    /// 32 bytes without an allocation of their own.
    private struct Digest: Hashable {
        var words: (UInt64, UInt64, UInt64, UInt64)

        init(_ bytes: [UInt8]) {
            func word(_ number: Int) -> UInt64 {
                bytes[(number * 8)..<(number * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
            }
            words = (word(0), word(1), word(2), word(3))
        }

        static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

        func hash(into hasher: inout Hasher) {
            hasher.combine(words.0)
            hasher.combine(words.1)
            hasher.combine(words.2)
            hasher.combine(words.3)
        }
    }

    private let file: PrivateFile
    private let state: Mutex<State>

    /// The answer to the question whether a share may be issued.
    enum Verdict: Sendable, Equatable {
        /// The first issue is recorded and recent enough.
        case permitted
        /// The first issue is longer ago than ``window``.
        case closed
        /// The issue cannot be recorded.
        case unavailable
    }

    /// Opens the list and locks it against other processes.
    ///
    /// An incomplete last line is dropped: the process ended before its share left.
    ///
    /// - Throws: ``MPinAuthorityError``.
    convenience init(path: String) throws(MPinAuthorityError) {
        let file: PrivateFile
        do throws(MPinAuthorityError) {
            file = try MPinPrivateFile.using { () throws(PrivateFileError) in
                try PrivateFile(opening: path, .secret, for: .appending)
            }
        } catch {
            guard error.code == .missing else { throw error }
            throw MPinAuthorityError(
                .missing, "the list of issued identities \(path) is gone",
                remedy: """
                    Restore it from a backup. Without it, keys of old identities can be issued again; to accept that: \
                    install -m 600 /dev/null '\(path)'
                    """)
        }
        try self.init(file: file, path: path)
    }

    /// Takes over an open file.
    init(file: PrivateFile, path: String) throws(MPinAuthorityError) {
        do throws(MPinAuthorityError) {
            guard try MPinPrivateFile.using({ () throws(PrivateFileError) in try file.tryLock() }) else {
                throw MPinAuthorityError(
                    .busy, "another process uses \(path)", remedy: "Stop the other D-TA, or use another directory.")
            }
            let bytes = try MPinPrivateFile.using { () throws(PrivateFileError) in try file.contents(atMost: nil) }
            let length = bytes.count - bytes.count % Self.lineLength
            let issues = try Self.parse(bytes[..<length], path)
            if length < bytes.count {
                try MPinPrivateFile.using { () throws(PrivateFileError) in try file.truncate(to: length) }
            }
            self.file = file
            state = Mutex(State(firstIssues: issues, length: length))
        } catch {
            file.close()
            throw error
        }
    }

    deinit { file.close() }

    /// Records the first issue for an identity, or compares with the recorded one.
    ///
    /// - Parameter hash: The 32 bytes of the SHA-256 of the identity's point.
    func admit(_ hash: [UInt8], at time: Timestamp) -> Verdict {
        state.withLock { state in
            let digest = Digest(hash)
            if let first = state.firstIssues[digest] {
                return time.duration(since: first) <= Self.window ? .permitted : .closed
            }
            guard !state.isBroken else { return .unavailable }
            let line = Array("\(Hex.encode(hash)) \(time)\n".utf8)
            do throws(PrivateFileError) {
                try file.append(line)
            } catch {
                // After a failed sync nobody knows what is on the disk, so only a restart, which reads it, goes on.
                state.isBroken = true
                try? file.truncate(to: state.length)
                return .unavailable
            }
            state.length += line.count
            state.firstIssues[digest] = time
            return .permitted
        }
    }

    var count: Int { state.withLock { $0.firstIssues.count } }

    private static func parse(
        _ bytes: ArraySlice<UInt8>, _ path: String
    ) throws(MPinAuthorityError) -> [Digest: Timestamp] {
        var issues: [Digest: Timestamp] = [:]
        for start in stride(from: 0, to: bytes.count, by: lineLength) {
            let line = bytes[start..<(start + lineLength)]
            guard let hash = Hex.decode(String(decoding: line.prefix(64), as: UTF8.self)),
                line[start + 64] == UInt8(ascii: " "), line.last == UInt8(ascii: "\n"),
                let time = Timestamp(utf8: line[(start + 65)..<(start + lineLength - 1)])
            else {
                throw MPinAuthorityError(
                    .malformed, "line \(start / lineLength + 1) of \(path) is malformed",
                    remedy: "Restore the file from a backup.")
            }
            let digest = Digest(hash)
            // The first line counts, also if somebody joined two lists.
            issues[digest] = min(issues[digest] ?? time, time)
        }
        return issues
    }
}
