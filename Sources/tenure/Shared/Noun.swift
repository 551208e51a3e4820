/// The name of something that is counted, in the singular and the plural.
struct Noun: Sendable, Equatable {
    private let singular: String
    private let plural: String

    /// Creates a noun. The plural ends in `s` unless another one is given.
    init(_ singular: String, plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? singular + "s"
    }

    static let company = Noun("company", plural: "companies")
    static let difference = Noun("difference")
    static let employee = Noun("employee")
    static let entry = Noun("entry", plural: "entries")
    static let erasure = Noun("erasure")
    static let event = Noun("event")
    static let finding = Noun("finding")
    static let key = Noun("key")
    static let ledger = Noun("ledger")
    static let mail = Noun("mail")
    static let person = Noun("person", plural: "people")

    /// Returns the form for a number: `event` for 1, `events` for any other.
    func form(for number: some BinaryInteger) -> String { number == 1 ? singular : plural }

    /// Returns the number and the form for it: `1 event`, `2 events`.
    func counted(_ number: some BinaryInteger) -> String { "\(number) \(form(for: number))" }

    /// Returns the number, the noun and its verb: `1 event is`, `2 events are`.
    func counted(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(counted(number)) \(number == 1 ? one : many)"
    }
}
