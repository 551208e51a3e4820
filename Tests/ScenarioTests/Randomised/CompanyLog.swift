import Canonical

/// What the API says of one company after a randomised run.
struct CompanyLog: Sendable {
    let company: String
    let events: [JSONValue]
    /// The registrations by the id of the employee.
    let registered: [String: JSONValue]
    /// The ids of employees who are erased.
    let erased: Set<String>

    init(_ company: String, _ events: [JSONValue]) {
        self.company = company
        self.events = events
        var registered: [String: JSONValue] = [:], erased: Set<String> = []
        for event in events {
            guard let id = event["data"]?["employeeId"]?.text else { continue }
            switch event["type"]?.text {
            case "EmployeeRegistered": registered[id] = event
            case "EmployeeErased": erased.insert(id)
            default: break
            }
        }
        self.registered = registered
        self.erased = erased
    }

    /// All events of a type.
    func events(_ type: String) -> [JSONValue] { events.filter { $0["type"]?.text == type } }

    /// The employee whom the event at a position is about.
    func employee(at position: Int64?) -> String? {
        events.first { $0["position"]?.number == position }?["data"]?["employeeId"]?.text
    }

    /// What a registration says of an employee, unless the employee is erased.
    func said(_ member: String, of employee: String) -> String? {
        erased.contains(employee) ? nil : registered[employee]?["data"]?[member]?.text
    }

    /// The ids that are erased and may still be read.
    var legible: [String] {
        erased.filter { id in
            ["companyEmployeeId", "email"].contains { name in
                let text = registered[id]?["data"]?[name]?.text
                return text != nil && text != "[erased]"
            }
        }
    }
}
