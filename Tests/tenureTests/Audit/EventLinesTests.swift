import Canonical
import EventCoding
import Foundation
import Testing

@testable import Ledger
@testable import tenure

struct EventLinesTests {
    /// One event with everything that a line may hold.
    private func event(_ name: String) throws -> OpenedEvent {
        let json: JSONValue = [
            "eventId": "00000000-0000-4000-8000-000000000001", "ledger": "00000000-0000-4000-8000-000000000002",
            "stream": "employee/00000000-0000-4000-8000-000000000003", "streamVersion": 2, "type": "EmployeeRegistered",
            "schema": 1, "time": "2026-11-21T08:30:00.000001Z", "actor": "00000000-0000-4000-8000-000000000004",
            "app": "00000000-0000-4000-8000-000000000005", "requestId": "r-1",
            "data": ["note": .string(name)],
        ]
        return OpenedEvent(try Entry.decode(json.canonicalBytes(), at: 7), keys: nil)
    }

    @Test func `a CSV line is quoted as RFC 4180 requires`() throws {
        let line = EventLines(format: .csv).line(try event("say \"hi\",\nthere"), company: "Acme, Inc.")
        #expect(
            line
                == "7,2026-11-21T08:30:00.000001Z,00000000-0000-4000-8000-000000000002,\"Acme, Inc.\",EmployeeRegistered,"
                + "employee/00000000-0000-4000-8000-000000000003,2,00000000-0000-4000-8000-000000000004,"
                + "00000000-0000-4000-8000-000000000005,r-1,00000000-0000-4000-8000-000000000001,"
                + #""{""note"":""say \""hi\"",\nthere""}""# + "\r\n")
        #expect(EventLines(format: .csv).head.hasPrefix("position,time,ledger,company,type,"))
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@x"])
    func `a name that a spreadsheet would evaluate is marked as text`(name: String) throws {
        let line = EventLines(format: .csv).line(try event("n"), company: name)
        #expect(line.contains(",'\(name),"))
    }

    @Test func `no line contains control or direction characters of a name`() throws {
        let name = "a\u{1B}[2J\u{9B}2J\u{7F}\u{202E}\tz é日"
        for format in [ReplayFormat.csv, .ndjson, .cloudevents] {
            let line = EventLines(format: format).line(try event(name), company: name)
            let allowed: Set<Unicode.Scalar> = ["\r", "\n"]
            #expect(!line.unicodeScalars.contains { Printable.isUnsafe($0) && !allowed.contains($0) }, "\(format)")
            #expect(line.contains(" é日"))
        }
        // What is written as an escape is read as what it was.
        let line = EventLines(format: .ndjson).line(try event(name), company: nil)
        #expect(try StrictJSON.parse(Array(line.utf8))["data"]?["note"] == .string(name))
    }

    @Test func `a CloudEvent has the members that its specification requires`() throws {
        let line = EventLines(format: .cloudevents).line(try event("n"), company: nil)
        #expect(
            line
                == #"{"actor":"00000000-0000-4000-8000-000000000004","app":"00000000-0000-4000-8000-000000000005","#
                + #""data":{"note":"n"},"datacontenttype":"application/json","#
                + #""id":"00000000-0000-4000-8000-000000000001","requestid":"r-1","sequence":"7","#
                + #""source":"urn:tenure:ledger:00000000-0000-4000-8000-000000000002","specversion":"1.0","#
                + #""streamversion":2,"subject":"employee/00000000-0000-4000-8000-000000000003","#
                + #""time":"2026-11-21T08:30:00.000001Z","type":"tenure.EmployeeRegistered.v1"}"# + "\n")
        // Names of attributes are lower-case letters and digits, at most twenty.
        guard case .object(let members) = try CanonicalJSON.parse(Array(line.utf8.dropLast())) else {
            Issue.record("the line is no object")
            return
        }
        #expect(members.keys.allSatisfy { $0.wholeMatch(of: /[a-z0-9]{1,20}/) != nil })
    }

    @Test func `a JSON line contains the event and its position`() throws {
        let line = EventLines(format: .ndjson).line(try event("n"), company: nil)
        let value = try CanonicalJSON.parse(Array(line.utf8.dropLast()))
        #expect(value["position"] == 7 && value["type"] == "EmployeeRegistered" && value["requestId"] == "r-1")
    }

    @Test func `a filter accepts an event that every part of it accepts`() throws {
        let recorded = try event("n").recorded
        #expect(ReplayFilter().includes(recorded))
        let id = { (last: Int) in UUID(uuidString: "00000000-0000-4000-8000-00000000000\(last)") }
        for fits in [true, false] {
            #expect(ReplayFilter(types: [fits ? "EmployeeRegistered" : "EmailReclaimed"]).includes(recorded) == fits)
            #expect(ReplayFilter(app: id(fits ? 5 : 4)).includes(recorded) == fits)
            #expect(ReplayFilter(actor: id(fits ? 4 : 5)).includes(recorded) == fits)
            #expect(ReplayFilter(request: fits ? "r-1" : "r-2").includes(recorded) == fits)
            let all = ReplayFilter(types: ["EmployeeRegistered"], app: id(5), actor: id(4), request: fits ? "r-1" : "")
            #expect(all.includes(recorded) == fits)
        }
    }
}
