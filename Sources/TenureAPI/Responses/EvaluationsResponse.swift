public import Canonical

/// The response to `POST /v1/…/{flow}/evaluations`.
public struct EvaluationsResponse: Sendable, Equatable, JSONConvertible {
    /// One evaluation for each element, in the order of the request.
    public var evaluations: [Evaluation]

    /// Describes evaluations.
    public init(evaluations: [Evaluation]) { self.evaluations = evaluations }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        evaluations = try reader.wire("evaluations")
    }

    /// The response.
    public var json: JSONValue { ["evaluations": evaluations.json] }

    /// One evaluated element.
    public struct Evaluation: Sendable, Equatable, JSONConvertible {
        /// The copy that it is for.
        public var slot: Int64
        /// Evaluated element (49) ‖ c (48) ‖ s (48).
        public var evaluation: [UInt8]
        /// The sealed copy in that slot, 60 bytes; absent at set-up.
        public var sealedCopy: [UInt8]?

        /// Describes one.
        public init(slot: Int64, evaluation: [UInt8], sealedCopy: [UInt8]? = nil) {
            self.slot = slot
            self.evaluation = evaluation
            self.sealedCopy = sealedCopy
        }

        /// Reads a response; members it does not know are ignored.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            slot = try reader.integer("slot")
            evaluation = try reader.base64("evaluation")
            sealedCopy = try reader.optionalBase64("sealedCopy")
        }

        /// The response.
        public var json: JSONValue {
            .objectOmittingNil([
                "slot": .integer(slot), "evaluation": .base64(evaluation),
                "sealedCopy": sealedCopy.map(JSONValue.base64),
            ])
        }
    }
}
