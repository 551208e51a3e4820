import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

extension FlowRecorder {
    /// Ends a recovery of this user that is open: who is in with the credentials in force, on a device that was let in, needs no
    /// others.
    ///
    /// The company that decided about it may be another one than the flow's. Then its ledger gets what everybody there may
    /// know, and not through which company, app and request the owner was there.
    mutating func endRecovery(of user: UserSnapshot, by employee: EmployeeID) throws {
        let time = call.time
        let ends = try decided { () throws(User.Rejection) in try User.decide(user.state, .endRecovery(time)) }
        for event in ends {
            guard let copy = RecoveryCopy(of: event, after: user.state), let recovery = user.state.recovery else {
                continue
            }
            try add(event.payload, to: .user(user.id), version: user.version, keys: [:], about: nil, by: employee)
            let stream = StreamID.recovery(copy.recovery, in: copy.tenant)
            if copy.tenant == tenant {
                try add(event.payload, to: stream, version: copy.version, keys: [:], about: nil, by: employee)
            } else {
                events.append(
                    try EventCodec.encode(
                        event.payload, id: UUID.random(), stream: stream, keys: [:], metadata: EventMetadata()))
                expectations[stream] = copy.version
            }
            statements.append(RecoveryRequests.deletion(recovery.target))
        }
    }
}
