import ArgumentParser
import Canonical
import Foundation
import Ledger

/// How far a replay has come in each ledger, kept in a file so that the next one goes on there.
struct ReplayCursor: Sendable, Equatable {
    private(set) var positions: [LedgerID: Int64] = [:]

    init() {}

    /// The position up to which a ledger was printed; 0 before its first event.
    subscript(ledger: LedgerID) -> Int64 {
        get { positions[ledger] ?? 0 }
        set { positions[ledger] = newValue > 0 ? newValue : nil }
    }

    /// Reads a file; one that is not there is the beginning.
    init(file: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        let failure = CommandFailure(
            .usage, "\(file) holds no cursor of a replay", remedy: "Name another file, or remove it to begin anew.")
        guard let data = FileManager.default.contents(atPath: file),
            case .object(let members)? = try? CanonicalJSON.parse(
                Array(data.last == 0x0A ? data.dropLast() : data), limits: .init(bytes: 1 << 28))
        else { throw failure }
        for (name, value) in members {
            guard let ledger = UUID(lowercased: name), case .integer(let position) = value, position >= 0 else {
                throw failure
            }
            self[LedgerID(ledger)] = position
        }
    }

    /// The content of the file: an object of ledger and position.
    var bytes: [UInt8] {
        let members = positions.map { ($0.key.uuid.lowercased, JSONValue.integer($0.value)) }
        return JSONValue.object(Dictionary(members, uniquingKeysWith: { first, _ in first })).canonicalBytes() + [0x0A]
    }

    /// Replaces the file: it holds the old cursor or the new one at every moment.
    func write(to file: String) throws {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CommandFailure(.failure, "the cursor cannot be written to \(file)")
        }
    }
}
