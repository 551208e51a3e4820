import FoundationEssentials
import Postgres

/// What this process remembers of log-ins on their way: hints, which every step holds against the database.
///
/// A step reads whether the flow's row and the streams are still those that are remembered, together with everything else,
/// and so needs neither a second round trip nor to open and decode anything again. Where something is newer, or another
/// process began the flow, it is read as if nothing were remembered. Flows of people who do not exist are remembered like
/// all others, so that it tells nothing.
final class FlowMemory: Sendable {
    /// A flow after a step of it.
    struct Remembered: Sendable {
        var row: FlowStore.Row
        var scene: FlowScene
    }

    /// How many flows are remembered at most, each some thousands of bytes: states and no histories.
    static let capacity = 2_048

    private let flows = Lock(Generations<String, Remembered>(capacity: capacity))

    /// The flow with this handle.
    func recall(_ handle: String) -> Remembered? { flows.withLock { $0[handle] } }

    /// Remembers the row of a flow as it was written, and what was read with it; only of log-ins, which are frequent and whose
    /// rows hold no seeds. The only seed in this memory is nobody's.
    func remember(_ row: FlowStore.Row, _ scene: FlowScene) {
        guard row.state.purpose == .login else { return }
        let handle = FlowStore.handle(of: row.state), light = Self.light(scene)
        flows.withLock { flows in
            let before = flows[handle]
            // Of two calls at the same time the later one may come here first.
            if let before, before.row.version > row.version { return }
            var scene = light
            scene.tenant = scene.tenant ?? before?.scene.tenant
            scene.decoy = scene.decoy ?? before?.scene.decoy
            flows.insert(Remembered(row: row, scene: scene), for: handle)
        }
    }

    /// What is kept of a scene: no events, and nothing that holds for a moment.
    private static func light(_ scene: FlowScene) -> FlowScene {
        var scene = FlowScene(user: scene.user, tenant: scene.tenant, decoy: scene.decoy)
        scene.user?.events = []
        scene.user?.leaves = [:]
        scene.tenant?.leaves = [:]
        return scene
    }

    /// Forgets a flow that had its outcome.
    func forget(_ state: FlowState) {
        let handle = FlowStore.handle(of: state)
        flows.withLock { $0.remove(handle) }
    }

    /// Forgets what nobody went on with since the last call.
    func age() {
        // Freed outside of the lock.
        _ = flows.withLock { $0.age() }
    }
}
