/// What each room of `IdentityService` may stand on: the rooms whose types its files may name.
///
/// `ServiceContext` lies in `Shared` and holds a value for each room whose use cases share a component. The type of that
/// value is nested in `ServiceContext` by an extension in the room, so that the component lies there too.
enum RoomTable {
    /// A direction that the table forbids, for some types only.
    struct Exception {
        let room: String
        let below: String
        let types: Set<String>
        let reason: String
    }

    static let mostExceptions = 5

    /// The rooms, each above those that it stands on.
    static let rows: [String: Set<String>] = [
        "Shared": [],
        // A flow's proof says how the person logged in, as a session has it.
        "Flows": ["Sessions", "Shared"],
        "Sessions": ["Shared"],
        "Tokens": ["Sessions", "Shared"],
        // A client counts for the service if its registration counts for `verify`.
        "OpenID": ["Administration", "Audit", "Sessions", "Shared"],
        "Mail": ["Flows", "Shared"],
        "Administration": ["Sessions", "Shared"],
        "Devices": ["Administration", "Mail", "Sessions", "Shared"],
        "Credentials": ["Flows", "Sessions", "Shared"],
        // A registration may begin with a passkey, which is checked as a further one is.
        "Registration": ["Administration", "Credentials", "Devices", "Flows", "Mail", "Sessions", "Shared"],
        // Who confirms a return is asked the words of its device key.
        "Recovery": ["Administration", "Credentials", "Devices", "Flows", "Mail", "Sessions", "Shared"],
        "Login": ["Credentials", "Flows", "Mail", "Recovery", "Registration", "Sessions", "Shared"],
        "MPin": ["Administration", "Flows", "Login", "Mail", "Shared"],
        "Audit": ["Flows", "Shared"],
        "Pages": ["Administration", "Credentials", "Flows", "Mail", "Sessions", "Shared"],
        "Operations": [
            "Administration", "Audit", "Credentials", "Flows", "MPin", "Mail", "OpenID", "Pages", "Recovery",
            "Registration", "Sessions", "Shared",
        ],
    ]

    static let exceptions = [
        Exception(
            room: "Administration", below: "MPin", types: ["ReclaimedMPinIdentities"],
            reason: "an address is reclaimed in the append that revokes the M-Pin identities with that user id"),
        Exception(
            room: "Registration", below: "MPin", types: ["GivenMPinIdentities"],
            reason: "an address gives way in the append that revokes the M-Pin identities with that user id"),
        Exception(
            room: "Mail", below: "Pages", types: ["BrowserWaitRow"],
            reason: "a mail about a waiting device is sent only while its browser waits"),
        Exception(
            room: "Mail", below: "Registration", types: ["GivingWay"],
            reason: "an address that somebody else registered gives way to the user who confirms it by a mail"),
    ]

    /// The exception that permits a use, if there is one.
    static func exception(for use: RoomUse) -> Exception? {
        exceptions.first { $0.room == use.room && $0.below == use.below && $0.types.contains(use.type) }
    }

    /// Whether the rows or an exception permit a use.
    static func permits(_ use: RoomUse) -> Bool {
        rows[use.room]?.contains(use.below) == true || exception(for: use) != nil
    }

    /// The permissions that no use needs.
    static func unused(_ uses: [RoomUse]) -> [String] {
        let directions = Set(uses.filter { exception(for: $0) == nil }.map { "\($0.room) → \($0.below)" })
        let permitted = rows.flatMap { room, below in below.map { "\(room) → \($0)" } }
        let types = exceptions.flatMap { exception in
            exception.types.filter { type in
                !uses.contains { $0.room == exception.room && $0.below == exception.below && $0.type == type }
            }.map { "\(exception.room) → \(exception.below): \($0)" }
        }
        return permitted.filter { !directions.contains($0) }.sorted() + types.sorted()
    }
}
