import Canonical
import Foundation

/// Remembers which account was used last on this device, so that `whoami` needs no arguments. It holds no secret.
struct LastAccount: Sendable {
    /// The employee of a company.
    struct Name: Sendable, Equatable {
        var companyName: String
        var companyEmployeeId: String
    }

    let directory: String

    /// `$XDG_DATA_HOME/tenure`, or `~/.local/share/tenure`.
    static var standardDirectory: String {
        let named = ProcessInfo.processInfo.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? NSHomeDirectory() + "/.local/share") + "/tenure"
    }

    private var path: String { directory + "/last-account.json" }

    /// Remembers a name. The directory is there: keys and sessions are in it.
    func remember(_ name: Name) throws {
        let value: JSONValue = [
            "companyName": .string(name.companyName), "companyEmployeeId": .string(name.companyEmployeeId),
        ]
        try SecretFile.replace(at: path, with: JSONLines.line(value))
    }

    /// The name, or `nil` when there is none.
    func name() -> Name? {
        guard let data = FileManager.default.contents(atPath: path), let json = try? StrictJSON.parse(Array(data)),
            var reader = try? ObjectReader(json), let company = try? reader.string("companyName"),
            let employee = try? reader.string("companyEmployeeId")
        else { return nil }
        return Name(companyName: company, companyEmployeeId: employee)
    }
}
