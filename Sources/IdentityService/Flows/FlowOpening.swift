import Postgres

/// What a step of a flow reads before anything else: the flow's row, and where the process remembers the flow all that the
/// step needs beside it.
struct FlowOpening: Sendable {
    let handle: String
    /// What the step needs of the flow's people.
    let parts: ChallengedCredential.Parts
    /// What is read in the transaction that takes the call's `Idempotency-Key`; nil for what is no handle.
    let reads: OpeningReads?
    private let remembered: FlowMemory.Remembered?
    private let scene: FlowSceneReading?

    /// The opening of a step that needs `parts`.
    init(_ handle: String, _ parts: ChallengedCredential.Parts, _ context: ServiceContext) {
        self.handle = handle
        self.parts = parts
        let row = FlowStore.reading(handle)
        let remembered = row == nil ? nil : context.flows.recall(handle)
        let scene = remembered.map {
            FlowSceneReading(parts, for: $0.row.state, remembered: $0.scene, context)
        }
        self.remembered = remembered
        self.scene = scene
        reads = row.map { row in
            OpeningReads(
                ledgers: row.ledgers + (scene.map { Array($0.ledgers) } ?? []),
                statements: row.statements + (scene?.statements ?? []))
        }
    }

    /// The state that is remembered for the row of this version and seal.
    func state(_ version: Int32, _ seal: [UInt8]) -> FlowState? {
        guard let row = remembered?.row, row.version == version, row.seal == seal else { return nil }
        return row.state
    }

    /// What was read with the row, if the row is the one that is remembered and nothing is newer than it was.
    ///
    /// - Parameter rows: The rows of ``reads``.
    func scene(_ row: FlowStore.Row, _ rows: [[PostgresRow]]?) throws -> FlowStep.Known? {
        guard let scene, let rows, state(row.version, row.seal) != nil else { return nil }
        return try scene.read(Array(rows.dropFirst()))
    }
}

/// A flow at the step that a call takes.
struct FlowStep: Sendable {
    typealias Known = (scene: FlowScene, wrapped: [PostgresRow])

    var row: FlowStore.Row
    /// What was read with the row already, for the parts of the opening.
    var known: Known?
}
