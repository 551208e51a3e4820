package import Canonical
package import FoundationEssentials
import PrivateFiles

/// The list of erased persons, which must be erased again after a backup was restored.
///
/// Each person is one line of canonical JSON, `{"id", "kind", "ledger", "time"}`: random ids, no personal data. An
/// erasure is listed before it happens, so the list never knows less than a database does. It must not be part of the
/// backups.
///
/// Calls block for a few system calls. Use them in a command.
package struct ErasureList: Sendable {
    /// One person of the list.
    package struct Entry: Sendable, Hashable {
        /// The kind of person whose key is erased.
        package enum Kind: String, Sendable, CaseIterable {
            case employee
            case user
            /// An M-Pin identity, or an activation code for one.
            case mpin
        }

        package let kind: Kind
        /// The ledger of the person's key.
        package let ledger: UUID
        /// The id of the person and of the key.
        package let id: UUID
        /// The time at which the erasure was requested.
        package let time: Timestamp

        /// An erasure of the key `id`.
        package init(kind: Kind, ledger: UUID, id: UUID, time: Timestamp) {
            self.kind = kind
            self.ledger = ledger
            self.id = id
            self.time = time
        }
    }

    /// The largest list that is read, in bytes: several hundred thousand persons.
    private static let maximumLength = 64 << 20

    package let path: String
    /// The file whose owner reads the list too: a new list of a command that runs as root belongs to that user.
    private let sibling: String?

    /// A list at `path`; nothing is read or written yet.
    package init(path: String) {
        self.path = path
        sibling = nil
    }

    package init(beside file: MasterKeyFile) {
        path = file.path + ".erased"
        sibling = file.path
    }

    /// Returns all entries in the order of the erasures, or none if there is no list.
    ///
    /// - Throws: ``KeysError/Code/erasureListUnusable``.
    package func read() throws(KeysError) -> [Entry] {
        let bytes = try using { () throws(PrivateFileError) -> [UInt8] in
            do throws(PrivateFileError) {
                return try PrivateFile.read(path, .record, atMost: Self.maximumLength)
            } catch {
                guard error.code == .missing else { throw error }
                return []
            }
        }
        return try parse(bytes)
    }

    /// Adds persons that are not listed yet, atomically. The list is on disk when this returns. It keeps its owner and
    /// its mode.
    ///
    /// - Throws: ``KeysError/Code/erasureListUnusable``, also if another command holds the lock for three seconds.
    package func add(_ entries: [Entry]) throws(KeysError) {
        // There must be a file to lock, so the first command creates an empty list.
        let file = try using { () throws(PrivateFileError) in
            do throws(PrivateFileError) {
                return try PrivateFile.openLocked(path, .record)
            } catch {
                guard error.code == .missing else { throw error }
                _ = try PrivateFile.create(path, [], .record, ownedLike: sibling)
                return try PrivateFile.openLocked(path, .record)
            }
        }
        defer { file.close() }
        let known = try parse(
            try using { () throws(PrivateFileError) in try file.contents(atMost: Self.maximumLength) })
        let ids = Set(known.map(\.id))
        let new = entries.filter { !ids.contains($0.id) }
        guard !new.isEmpty else { return }
        let lines = (known + new).flatMap { $0.json.canonicalBytes() + [UInt8(ascii: "\n")] }
        try using { () throws(PrivateFileError) in try file.replace(with: lines) }
    }

    private func parse(_ bytes: [UInt8]) throws(KeysError) -> [Entry] {
        var entries: [Entry] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                entries.append(try Entry(try StrictJSON.parse(line)))
            } catch {
                throw unusable("line \(index + 1) of the erase list is malformed")
            }
        }
        return entries
    }

    /// Runs work on the file and gives its errors the code of this type.
    private func using<Result>(
        _ work: () throws(PrivateFileError) -> Result
    ) throws(KeysError) -> Result {
        do { return try work() } catch {
            throw unusable("the erase list \(error.reason)")
        }
    }

    private func unusable(_ reason: String) -> KeysError {
        KeysError(code: .erasureListUnusable, reason: reason, remedy: "check \(path) and its directory")
    }
}

extension ErasureList.Entry {
    /// The entry's line in the list.
    package var json: JSONValue {
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
