import Canonical
import Foundation

/// The file about the people of the demo company. It is written before they register, so that an interrupted run can be
/// finished by the next one with the same devices.
struct DemoRecord: Sendable {
    var companyName: String
    var people: [DemoPerson]
    /// Whether everybody has registered.
    var isComplete: Bool

    init(companyName: String, people: [DemoPerson], isComplete: Bool) {
        self.companyName = companyName
        self.people = people
        self.isComplete = isComplete
    }

    /// Reads the file; `nil` when there is none or it is not one of ours.
    init?(file: String) {
        guard let data = FileManager.default.contents(atPath: file), let json = try? StrictJSON.parse(data),
            var reader = try? ObjectReader(json), let name = try? reader.string("companyName"),
            let isComplete = try? reader.bool("isComplete"), let array = try? reader.array("people"),
            let people = try? array.map(DemoPerson.init(json:))
        else { return nil }
        self.init(companyName: name, people: people, isComplete: isComplete)
    }

    /// Writes the file, for its owner only.
    func write(to file: String) throws {
        let document = JSONValue.object([
            "companyName": .string(companyName), "isComplete": .bool(isComplete), "people": .array(people.map(\.json)),
        ])
        try SecretFile.replace(at: file, with: JSONLines.line(document))
    }
}
