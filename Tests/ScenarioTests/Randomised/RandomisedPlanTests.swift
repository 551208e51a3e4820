import Testing

struct `The plan of a randomised run` {
    @Test func `is the same for the same seed, and another one for another`() {
        for actor in 0..<4 {
            let steps = Array(StepPlan(seed: 7, actor: actor).prefix(500))
            #expect(steps == Array(StepPlan(seed: 7, actor: actor).prefix(500)))
            #expect(steps != Array(StepPlan(seed: 8, actor: actor).prefix(500)))
        }
        let damage = Array(DisturbancePlan(seed: 7).prefix(100))
        #expect(damage == Array(DisturbancePlan(seed: 7).prefix(100)))
        #expect(damage != Array(DisturbancePlan(seed: 8).prefix(100)))
    }

    @Test func `has every kind of step, and every kind of damage before one comes twice`() {
        #expect(PlannedStep.Kind.allCases.map(\.rawValue).reduce(0, +) == 100)
        let steps = StepPlan(seed: .random(in: 0...UInt64.max), actor: 0).prefix(2_000).map(\.kind)
        #expect(Set(steps) == Set(PlannedStep.Kind.allCases))
        let damage = DisturbancePlan(seed: .random(in: 0...UInt64.max)).prefix(PlannedDisturbance.Kind.allCases.count)
        #expect(Set(damage.map(\.kind)) == Set(PlannedDisturbance.Kind.allCases))
    }
}
