import Canonical
import FoundationEssentials
import IdentityService
import Keys

/// Shows who was erased, and what has to be destroyed for it to be complete.
struct ErasureReport {
    private let erased: [Erasure.Erased]
    private let verb: String

    init(_ erased: [Erasure.Erased], _ verb: String) {
        self.erased = erased
        self.verb = verb
    }

    func write(json: Bool) {
        let output = Output.standardOutput()
        if json {
            for one in erased { output.write(JSONLines.line(Self.json(one))) }
        } else if !erased.isEmpty {
            output.write(table.rendered(on: output.terminal))
        }
        let words = Output.standardError()
        words.line("\(verb): \(erased.count).")
        guard let version = erased.compactMap(\.masterVersion).max() else { return }
        words.line("Complete once version \(version) of the master keys, and all before it, are destroyed:")
        words.line("  tenure key rotate, make a new backup, then tenure key retire \(version)")
    }

    private var table: Table {
        var table = Table([
            .init(title: "Kind"), .init(title: "Id"), .init(title: "Ledger"),
            .init(title: "Master version", alignment: .right),
        ])
        for one in erased {
            table.add([
                one.kind.rawValue, one.id.lowercased, one.ledger.lowercased,
                one.masterVersion.map { "\($0)" } ?? "none",
            ])
        }
        return table
    }

    private static func json(_ one: Erasure.Erased) -> JSONValue {
        .objectOmittingNil([
            "kind": .string(one.kind.rawValue), "id": .uuid(one.id), "ledger": .uuid(one.ledger),
            "masterVersion": one.masterVersion.map { .integer(Int64($0)) },
        ])
    }
}

/// Shows who would be erased.
struct ErasurePlanReport {
    private let plan: ErasurePlan

    init(_ plan: ErasurePlan) { self.plan = plan }

    func write(json: Bool) {
        guard json else { return write(to: .standardOutput()) }
        let output = Output.standardOutput()
        for person in plan.people { output.write(JSONLines.line(Self.json(person))) }
    }

    func write(to output: Output) {
        var table = Table([
            .init(title: "Kind"), .init(title: "Name"), .init(title: "Company"), .init(title: "Id"), .init(title: ""),
        ])
        for person in plan.people {
            let notes = [person.isErased ? "erased" : nil, person.isSecurityAdmin ? "security admin" : nil]
            table.add([
                person.kind.rawValue, person.name ?? "", person.company ?? "", person.id.lowercased,
                notes.compactMap(\.self).joined(separator: ", "),
            ])
        }
        output.write(table.rendered(on: output.terminal))
    }

    private static func json(_ person: ErasurePlan.Person) -> JSONValue {
        .objectOmittingNil([
            "kind": .string(person.kind.rawValue), "id": .uuid(person.id), "ledger": .uuid(person.ledger),
            "name": person.name.map(JSONValue.string), "company": person.company.map(JSONValue.string),
            "isSecurityAdmin": .bool(person.isSecurityAdmin), "isErased": .bool(person.isErased),
        ])
    }
}
