import Canonical
import FoundationEssentials

/// What a mail to an admin says about who waits: how many, how they came, and the name of one of them.
struct WaitSummary: Sendable, Equatable {
    /// The longest name, in characters.
    static let longestName = 40

    let count: Int
    /// How many came in each way.
    let origins: [WaitingEntry.Origin: Int]
    /// The name of the first one whom an admin or a mailbox vouches for; `nil` without one. Whoever just registers could
    /// write a sentence into the mail.
    let name: String?

    /// - Parameter entries: The entries in the order of lists; `nil` comes of none.
    init?(_ entries: [WaitingEntry]) {
        guard !entries.isEmpty else { return nil }
        count = entries.count
        origins = Dictionary(grouping: entries, by: \.origin).mapValues(\.count)
        name = entries.first { $0.isVouched }.flatMap { Self.cleaned($0.companyEmployeeId) }
    }

    /// A name without what makes a link or a direction of it: letters, digits, hyphens and single spaces are left. `nil`
    /// if nothing is.
    static func cleaned(_ name: String) -> String? {
        var kept = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .nonspacingMark, .spacingMark,
                .decimalNumber:
                kept.append(scalar)
            default: kept.append(scalar == "-" || scalar == "_" ? scalar : " ")
            }
        }
        let words = String(kept).split(separator: " ").joined(separator: " ").prefix(longestName)
        return words.isEmpty ? nil : String(words)
    }

    /// The sentences of the mail.
    ///
    /// - Parameter words: The texts of a language by their names.
    func sentences(_ words: [String: String]) -> [String] {
        func text(_ part: String, _ value: String) -> String? {
            words["somebodyWaits.\(part)"].map { WordFile.filled($0, [value]) }
        }
        let ways = WaitingEntry.Origin.allCases.compactMap { origin in
            origins[origin].flatMap { text(origin.rawValue, "\($0)") }
        }
        return ([text("count", "\(count)")] + ways + [name.flatMap { text("named", $0) }]).compactMap(\.self)
    }
}
