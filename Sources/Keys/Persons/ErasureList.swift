public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The list of erased persons, which must be erased again after a backup was restored.
///
/// Each person is one line of canonical JSON, `{"id", "kind", "ledger", "time"}`: random ids, no personal data. An
/// erasure is listed before it happens, so the list never knows less than a database does. It must not be part of the
/// backups.
///
/// Calls block for a few system calls. Use them in a command.
public struct ErasureList: Sendable {
    /// One person of the list.
    public struct Entry: Sendable, Hashable {
        /// The kind of person whose key is erased.
        public enum Kind: String, Sendable, CaseIterable {
            case employee
            case user
            /// An M-Pin identity, or an activation code for one.
            case mpin
        }

        /// The kind of person.
        public let kind: Kind
        /// The ledger of the person's key.
        public let ledger: UUID
        /// The id of the person and of the key.
        public let id: UUID
        /// The time at which the erasure was requested.
        public let time: Timestamp

        /// An erasure of the key `id`.
        public init(kind: Kind, ledger: UUID, id: UUID, time: Timestamp) {
            self.kind = kind
            self.ledger = ledger
            self.id = id
            self.time = time
        }
    }

    /// The largest list that is read, in bytes: several hundred thousand persons.
    private static let maximumLength = 64 << 20

    /// The path of the list.
    public let path: String

    /// A list at `path`; nothing is read or written yet.
    public init(path: String) { self.path = path }

    /// The list beside a master key file.
    public init(beside file: MasterKeyFile) { self.init(path: file.path + ".erased") }

    /// Returns all entries in the order of the erasures, or none if there is no list.
    ///
    /// - Throws: ``KeysError/Code/erasureListUnusable``.
    public func read() throws(KeysError) -> [Entry] {
        do throws(KeysError) {
            let file = try SystemFile.open(path, .reading)
            defer { file.close() }
            return try Self.parse(try file.read(atMost: Self.maximumLength))
        } catch {
            if error.code == .masterFileMissing { return [] }
            throw unusable(error)
        }
    }

    /// Adds persons that are not listed yet, atomically. The list is on disk when this returns.
    ///
    /// - Throws: ``KeysError/Code/erasureListUnusable``, also if another command holds the lock for three seconds.
    public func add(_ entries: [Entry]) throws(KeysError) {
        do throws(KeysError) {
            // There must be a file to lock, so the first command creates an empty list.
            if let draft = try missing() {
                defer { SystemFile.remove(draft) }
                _ = try SystemFile.link(draft, to: path)
            }
            let target = try SystemFile.resolved(path)
            let file = try SystemFile.openLocked(target)
            defer { file.close() }
            let known = try Self.parse(try file.read(atMost: Self.maximumLength))
            let ids = Set(known.map(\.id))
            let new = entries.filter { !ids.contains($0.id) }
            guard !new.isEmpty else { return }
            let draft = try write(known + new, beside: target)
            do throws(KeysError) {
                try SystemFile.rename(draft, to: target)
            } catch {
                SystemFile.remove(draft)
                throw error
            }
            try SystemFile.syncDirectory(of: target)
        } catch {
            throw unusable(error)
        }
    }

    /// An empty draft if there is no list.
    private func missing() throws(KeysError) -> String? {
        do throws(KeysError) {
            try SystemFile.open(path, .reading).close()
            return nil
        } catch {
            guard error.code == .masterFileMissing else { throw error }
            return try write([], beside: path)
        }
    }

    private func write(_ entries: [Entry], beside target: String) throws(KeysError) -> String {
        let draft = target + ".new." + SystemFile.uniqueSuffix()
        let file = try SystemFile.open(draft, .creating)
        defer { file.close() }
        do {
            try file.write(entries.flatMap { $0.json.canonicalBytes() + [UInt8(ascii: "\n")] })
            try file.sync()
        } catch {
            SystemFile.remove(draft)
            throw error
        }
        return draft
    }

    private static func parse(_ bytes: [UInt8]) throws(KeysError) -> [Entry] {
        var entries: [Entry] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                entries.append(try Entry(try StrictJSON.parse(line)))
            } catch {
                throw KeysError(code: .erasureListUnusable, reason: "line \(index + 1) of the erase list is malformed")
            }
        }
        return entries
    }

    private func unusable(_ error: KeysError) -> KeysError {
        let reason = error.reason.replacing("master key file", with: "erase list")
        return KeysError(
            code: .erasureListUnusable, reason: reason, remedy: error.remedy ?? "check \(path) and its directory")
    }
}

extension ErasureList.Entry {
    /// The entry's line in the list.
    public var json: JSONValue {
        .object([
            "id": .uuid(id), "kind": .string(kind.rawValue), "ledger": .uuid(ledger), "time": .timestamp(time),
        ])
    }

    init(_ json: JSONValue) throws {
        var reader = try ObjectReader(json)
        id = try reader.uuid("id")
        ledger = try reader.uuid("ledger")
        time = try reader.timestamp("time")
        let name = try reader.string("kind")
        try reader.finish()
        guard let kind = Kind(rawValue: name) else {
            throw JSONError(code: .invalidValue, pointer: "/kind", reason: "employee, user or mpin is expected")
        }
        self.kind = kind
    }
}
