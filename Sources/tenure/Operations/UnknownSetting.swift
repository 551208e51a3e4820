import Foundation

/// A setting that does not exist, such as one with a typing error. Ignored, it would leave its default in force.
///
/// In the file it stops the command. In the environment it is a warning, because a cluster puts variables there that
/// nobody chose.
struct UnknownSetting {
    /// Variables that scripts, tests and examples of this project use, and that are no settings of a command.
    private static let others: Set<String> = [
        "TENURE_ACCESS_TOKEN", "TENURE_HISTORIES", "TENURE_HISTORY", "TENURE_UID",
    ]
    /// The beginnings of further ones.
    private static let otherPrefixes = [
        "TENURE_BENCH_", "TENURE_CITUS_", "TENURE_DRILL_", "TENURE_MPIN_VECTORS", "TENURE_POSTGRES_BIN",
        "TENURE_RECORD_", "TENURE_SOAK_", "TENURE_TEST_", "TENURE_TIMING_", "TENURE_WRITE_",
    ]
    /// The ends of the passwords that docker-compose.yml passes around.
    private static let otherSuffixes = ["_PASSWORD"]

    /// A sentence about each variable that looks like a setting and is none. Empty ones count as not set.
    static func warnings(_ environment: [String: String]) -> [String] {
        let known = Settings.Name.allCases.map(\.variable), names = Set(known)
        let unknown = environment.filter { name, value in
            name.hasPrefix("TENURE_") && !value.isEmpty && !names.contains(name) && !isOther(name, value)
        }
        return unknown.keys.sorted().map { name in
            "the environment has \(Printable.text(name)), which is no setting and counts for nothing. "
                + remedy(nearest(to: name, among: known))
        }
    }

    /// Throws for the value that Kubernetes gives a setting if a service has its name, such as `tenure-listen`.
    ///
    /// - Throws: ``CommandFailure`` that names the variable and the cause.
    static func refuseAddressOfService(_ value: String, in variable: String) throws {
        guard value.contains(/^(tcp|udp|sctp):\/\//) else { return }
        throw CommandFailure(
            .usage, "\(variable) has the form in which Kubernetes names the address of a service (tcp://…)",
            remedy: "Rename that service, or set enableServiceLinks: false for the pod.")
    }

    /// Throws for a member of a settings file that is no setting.
    ///
    /// - Throws: ``CommandFailure`` that names the member, and the setting that may have been meant.
    static func refuse(_ members: [String], in file: String) throws {
        let known = Settings.Name.allCases.map(\.rawValue)
        guard let name = Set(members).subtracting(known).min() else { return }
        throw CommandFailure(
            .usage, "\(file) has \(Printable.text(name)), which is no setting",
            remedy: remedy(nearest(to: name, among: known)))
    }

    /// The setting whose name has the fewest typing errors; `nil` if none is similar. Spelling in other letters or with
    /// other signs between the words is no error.
    static func nearest(to name: String, among known: [String]) -> String? {
        let typed = letters(name)
        let distances = known.map { (name: $0, distance: EditDistance.of(typed, letters($0))) }
        let best = distances.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best.flatMap { $0.distance <= max(2, typed.count / 4) ? $0.name : nil }
    }

    private static func letters(_ name: String) -> String {
        let text = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return text.hasPrefix("tenure") ? String(text.dropFirst(6)) : text
    }

    /// Whether the variable is one of this project's, or of a cluster that has a service by the name of `tenure`:
    /// Kubernetes gives each container `TENURE_SERVICE_HOST`, `TENURE_PORT` and the like.
    private static func isOther(_ name: String, _ value: String) -> Bool {
        if others.contains(name) || otherPrefixes.contains(where: name.hasPrefix)
            || otherSuffixes.contains(where: name.hasSuffix)
        {
            return true
        }
        let isOfService = name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT")
        let isOfPort = name.contains(/_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/)
        return isOfService || isOfPort && (name.hasSuffix("_PORT") ? value.contains("://") || isOfLink(name) : true)
    }

    private static func isOfLink(_ name: String) -> Bool { name.contains(/_[0-9]+_(TCP|UDP|SCTP)_PORT$/) }

    private static func remedy(_ nearest: String?) -> String {
        nearest.map { "Did you mean \($0)? Correct it or remove it." }
            ?? "Remove it; docs/configuration.md lists the settings."
    }
}
