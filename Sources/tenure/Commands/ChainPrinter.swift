import Canonical
import FoundationEssentials
import IdentityService
import TenureClient

/// Shows the chain from a key to the root, link by link.
enum ChainPrinter {
    static func table(_ chain: [AuthorityLink]) -> Table {
        var table = Table([
            .init(title: "Key or app"), .init(title: "Employee"), .init(title: "Position", alignment: .right),
            .init(title: "Let in by"), .init(title: "State"),
        ])
        for link in chain {
            let (name, employee) =
                switch link.subject {
                case .key(let fingerprint, let employee): (Fingerprint.readable(fingerprint), employee.lowercased)
                case .app(let app): ("app \(app.lowercased)", "")
                }
            table.add([
                name, employee, link.position.map { String($0) } ?? "", words(link),
                link.isEnded ? "ended" : "in force",
            ])
        }
        return table
    }

    private static func words(_ link: AuthorityLink) -> String {
        switch (link.grantor, link.subject) {
        case (.founding, .key): "founding: the root"
        case (.founding, .app): "founding"
        case (.app, _): "the app below"
        case (.employee, _): "the key below"
        case (.operator, _): "the operator"
        case (.policy, _): "the policy"
        case (.missing, _): "nobody"
        }
    }

    static func json(_ link: AuthorityLink) -> JSONValue {
        let (fingerprint, employee, app): (String?, JSONValue?, JSONValue?) =
            switch link.subject {
            case .key(let fingerprint, let employee): (fingerprint, .uuid(employee), nil)
            case .app(let app): (nil, nil, .uuid(app))
            }
        return .objectOmittingNil([
            "fingerprint": fingerprint.map(JSONValue.string), "employee": employee, "app": app,
            "position": link.position.map(JSONValue.integer), "grantor": .string(link.grantor.rawValue),
            "ended": .bool(link.isEnded),
        ])
    }
}
