import Foundation
import LocalDevelopment

/// Holds a program that ends with its input, says so, and waits until it is killed itself.
@main struct DevelopmentParent {
    static func main() async throws {
        let program = try HeldProgram(
            path: "/bin/cat", arguments: [], environment: [:], log: CommandLine.arguments[1])
        // Nobody ends the input: whoever kills this process expects the program to end.
        try await Task.sleep(for: .seconds(600))
        withExtendedLifetime(program) {}
    }
}
