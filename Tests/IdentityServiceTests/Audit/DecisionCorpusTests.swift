import Canonical
import Foundation
@testable import Identity
import Testing

@testable import Credentials
@testable import IdentityService
@testable import Ledger

/// Lawful decisions of every kind, each with its statement or its event spoilt in one place: verification finds in each
/// what `Fixtures/decisions.txt` says, and nothing else.
///
/// `TENURE_RECORD_GOLDEN` writes the file if it is missing.
@Suite struct DecisionCorpusTests {
    /// Something that was decided, and what was before.
    struct Decided {
        let name: String
        let arrange: HistoryScene.Step
        let decide: HistoryScene.Step
    }

    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures/decisions.txt").standardized

    @Test func `a decision that is spoilt in one place is found in the recorded words`() throws {
        let lines = try Self.all().map { try Self.findings($0) }
        let text = lines.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["TENURE_RECORD_GOLDEN"] != nil,
            !FileManager.default.fileExists(atPath: Self.file.path)
        {
            try Data(text.utf8).write(to: Self.file)
        }
        let recorded = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        for (found, expected) in zip(lines, recorded.components(separatedBy: "\n\n")) {
            #expect(found.trimmingCharacters(in: .newlines) == expected.trimmingCharacters(in: .newlines))
        }
        #expect(text == recorded)
    }

    // MARK: What is decided

    private static func all() throws -> [Decided] {
        let matrix = AuthorityMatrixTests()
        // The operator's statement repeats the event, and is about nothing else.
        let cells = AuthorityMatrixTests.cells.filter { $0.isPermitted && $0.capacity != .operator }
        return cells.map { cell in
            Decided(
                name: cell.testDescription, arrange: { try matrix.arrange(cell, &$0) },
                decide: { try matrix.decide(cell, &$0) })
        } + others()
    }

    private static func others() -> [Decided] {
        [
            Decided(name: "an admin: revoke a key", arrange: { _ in }) { scene in
                try scene.end(.revoke, scene.staff.device, of: scene.staff, by: scene.asAdmin)
            },
            Decided(name: "the owner: revoke a key", arrange: { _ in }) { scene in
                try scene.end(
                    .revoke, scene.staff.device, of: scene.staff, by: .member(scene.staff, scene.staff.vouched))
            },
            Decided(name: "the security admin: link an app", arrange: { _ in }) { scene in
                try scene.link(AppID(UUID()), roles: .usual)
            },
            Decided(name: "the security admin: change the policy again") { scene in
                try scene.change(TenantPolicy(approval: .admin), by: scene.asFounder)
            } decide: { scene in
                try scene.change(TenantPolicy(blindOnly: true), by: scene.asFounder)
            },
            Decided(name: "the security admin: cancel an admin, who is dismissed", arrange: { _ in }) { scene in
                let by = try scene.status(.cancel, scene.peer, by: scene.asFounder)
                try scene.history.append(
                    EmployeeCancelled(employeeID: scene.peer.id, reason: .cancelled, by: by), about: scene.peer)
                try scene.history.append(AdminDismissed(employeeID: scene.peer.id, by: by))
            },
            Decided(name: "the security admin: reclaim the address of an admin", arrange: { try $0.confirmDomain() }) {
                scene in
                let by = try scene.reclaim(scene.peer, by: scene.asFounder)
                try scene.history.append(
                    EmailReclaimed(
                        employeeID: scene.peer.id, userID: scene.peer.user, reason: Personal(scene.peer.id, "left"),
                        by: by), about: scene.peer)
                try scene.history.append(
                    EmployeeCancelled(employeeID: scene.peer.id, reason: .reclaimed, by: by), about: scene.peer)
                try scene.history.append(AdminDismissed(employeeID: scene.peer.id, by: by))
            },
            Decided(name: "an app: issue an activation code", arrange: { _ in }) {
                try $0.issueActivation(by: .app($0.app))
            },
            Decided(name: "an admin: issue an activation code", arrange: { _ in }) {
                try $0.issueActivation(by: $0.asAdmin)
            },
        ]
    }

    // MARK: What is found

    /// The findings of one decision as it is and with each spoilt place, grouped by their words.
    private static func findings(_ decided: Decided) throws -> String {
        var before = try HistoryScene()
        try decided.arrange(&before)
        var inspector = before.history.inspector()
        _ = before.history.findings(with: &inspector)
        let trial = Spoiling()
        func found(_ spoil: Spoiling) throws -> String {
            var scene = before
            scene.history.spoiling = spoil
            try decided.decide(&scene)
            var own = inspector
            let found = scene.history.findings(after: before.history.last, with: &own)
            guard !found.isEmpty else { return "lawful" }
            return found.map { "\($0.position - before.history.last): \($0.words)" }.joined(separator: "; ")
        }
        var groups: [String: [String]] = [try found(trial): ["as it is"]]
        for place in trial.places(before.history) {
            let words: String
            do { words = try found(place.spoiling) } catch { words = "not recorded: \(error)" }
            groups[words, default: []].append(place.name)
        }
        let lines = groups.sorted { $0.key < $1.key }.map { "  \($0.key)\n    \($0.value.joined(separator: ", "))" }
        return ([decided.name] + lines).joined(separator: "\n") + "\n"
    }
}

/// Changes what is signed or recorded, and remembers what there was to change.
final class Spoiling {
    /// One place of a statement or an event.
    struct Place {
        let name: String
        let spoiling: Spoiling
    }

    private let statement: (inout SpoiltStatement) -> Void
    private let event: (Int, inout JSONValue) -> Void
    private var signed: SpoiltStatement?
    private var recorded: [JSONValue] = []

    init(
        statement: @escaping (inout SpoiltStatement) -> Void = { _ in },
        event: @escaping (Int, inout JSONValue) -> Void = { _, _ in }
    ) {
        self.statement = statement
        self.event = event
    }

    /// What is signed in the place of a statement.
    func sign(_ bytes: [UInt8]) -> [UInt8] {
        guard var own = SpoiltStatement(bytes) else { return bytes }
        signed = own
        statement(&own)
        return own.bytes
    }

    /// What is recorded in the place of an event.
    func record(_ data: JSONValue) -> JSONValue {
        var own = data
        event(recorded.count, &own)
        recorded.append(data)
        return own
    }

    /// Every place that can be spoilt, after a decision as it is.
    func places(_ history: SignedHistory) -> [Place] {
        var places: [Place] = []
        func add(_ name: String, _ change: @escaping (inout SpoiltStatement) -> Void) {
            places.append(Place(name: name, spoiling: Spoiling(statement: change)))
        }
        for name in (signed?.members ?? [:]).keys.sorted() {
            add("statement/\(name)") { $0.members[name] = $0.members[name]?.spoilt }
            add("statement/\(name) absent") { $0.members[name] = nil }
        }
        add("statement of a role") { $0.tag = "tenure/v1/role" }
        add("statement of a policy") { $0.tag = "tenure/v1/policy" }
        add("statement expired") { $0.members["expires"] = .timestamp(history.time.adding(.seconds(-3_600))) }
        for size in [history.last - 1, history.last - 2, 3] {
            add("statement before \(history.last - size)") { statement in
                guard let root = history.state.roots.root(size: size) else { return }
                statement.members["ledgerSize"] = .integer(size)
                statement.members["ledgerRoot"] = .bytes(root)
            }
        }
        for (index, data) in recorded.enumerated() {
            guard case .object(let members) = data else { continue }
            for name in members.keys.sorted() where name != "by" {
                for isAbsent in [false, true] {
                    let spoiling = Spoiling { _ in
                    } event: { place, data in
                        guard place == index, case .object(var members) = data else { return }
                        members[name] = isAbsent ? nil : members[name]?.spoilt
                        data = .object(members)
                    }
                    places.append(Place(name: "event \(index)/\(name)\(isAbsent ? " absent" : "")", spoiling: spoiling))
                }
            }
        }
        return places
    }
}

/// A statement as text, which may become malformed.
struct SpoiltStatement {
    var tag: String
    var members: [String: JSONValue]

    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: 0x0A),
            case .object(let members)? = try? CanonicalJSON.parse(Array(bytes[(end + 1)...]))
        else { return nil }
        tag = String(decoding: bytes[..<end], as: UTF8.self)
        self.members = members
    }

    var bytes: [UInt8] { Array("\(tag)\n".utf8) + JSONValue.object(members).canonicalBytes() }
}

extension JSONValue {
    private static let otherKey = try? SigningKeyPair().key.bytes

    /// Another value of the same form.
    fileprivate var spoilt: JSONValue {
        switch self {
        case .integer(let number): return .integer(number + 1)
        case .bool(let flag): return .bool(!flag)
        case .array(let items): return .array(Array(items.dropLast()))
        case .object(let members):
            guard let name = members.keys.min() else { return self }
            return .object(members.merging([name: members[name]?.spoilt ?? .null]) { $1 })
        case .string(let text):
            if Timestamp(text) != nil { return .timestamp(Timestamp(microseconds: 1_900_000_000_000_000)) }
            if UUID(lowercased: text) != nil { return .uuid(UUID()) }
            guard text.utf8.count > 20, let bytes = Base64URL.decode(text) else { return .string("other") }
            if bytes.count == 65 { return .bytes(Self.otherKey ?? []) }
            return .bytes([bytes[0] ^ 1] + bytes.dropFirst())
        default: return self
        }
    }
}
