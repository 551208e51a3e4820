import Testing

@testable import IdentityService

struct GenerationsTests {
    @Test func `what is used stays, and what is not is forgotten within two generations`() {
        var memory = Generations<Int, String>(capacity: 8)
        memory.insert("kept", for: 0)
        memory.insert("left", for: 1)
        memory.age()
        #expect(memory[0] == "kept" && memory[1] == "left")
        memory.insert("kept again", for: 0)
        memory.age()
        #expect(memory[0] == "kept again" && memory[1] == nil)
        memory.age()
        #expect(memory[0] == nil && memory.count == 0)
    }

    @Test func `it never holds more than its capacity`() {
        var memory = Generations<Int, Int>(capacity: 10)
        for number in 0..<1_000 {
            memory.insert(number, for: number)
            #expect(memory.count <= 10 && memory[number] == number)
            if number > 0 { #expect(memory[number - 1] == number - 1) }
        }
    }

    @Test func `a thing is there once, and gone when it is removed`() {
        var memory = Generations<Int, String>(capacity: 4)
        memory.insert("old", for: 0)
        memory.age()
        memory.insert("new", for: 0)
        #expect(memory[0] == "new" && memory.count == 1)
        memory.remove(0)
        #expect(memory[0] == nil && memory.count == 0)
        memory.insert("old", for: 0)
        memory.age()
        memory.remove(0)
        #expect(memory[0] == nil)
    }
}
