"""Two samples held against each other: medians, an interval by bootstrap, the rank test, and the floor."""
import math
import random
import statistics


def median_interval(first, second, rounds=4000, seed=1):
    """The difference of the medians (second − first) and its 95 % interval, by resampling pairs."""
    generator = random.Random(seed)
    count, differences = len(first), []
    for _ in range(rounds):
        places = generator.choices(range(count), k=count)
        differences.append(
            statistics.median(second[p] for p in places) - statistics.median(first[p] for p in places))
    differences.sort()
    return (statistics.median(second) - statistics.median(first), differences[int(rounds * 0.025)],
            differences[int(rounds * 0.975)])


def rank_test(first, second):
    """The two-sided p of Mann and Whitney's test, by the normal approximation with ties."""
    values = sorted([(v, 0) for v in first] + [(v, 1) for v in second])
    n, m, ranks, ties, place = len(first), len(second), 0.0, 0.0, 0
    while place < len(values):
        end = place
        while end < len(values) and values[end][0] == values[place][0]:
            end += 1
        ranks += (place + end + 1) / 2 * sum(1 for v in values[place:end] if v[1] == 0)
        ties += (end - place) ** 3 - (end - place)
        place = end
    u = ranks - n * (n + 1) / 2
    total = n + m
    deviation = math.sqrt(n * m / 12 * (total + 1 - ties / (total * (total - 1))))
    return math.erfc(abs(u - n * m / 2) / deviation / math.sqrt(2))


def floor(sample):
    """The first percentile: what noise, which only adds, leaves of a sample."""
    return sorted(sample)[len(sample) // 100]


def row(name, first, second):
    """One line of the table, in milliseconds."""
    difference, low, high = median_interval(first, second)
    return (f"| {name} | {len(first)} | {statistics.median(first):.2f} | {statistics.median(second):.2f} "
            f"| {difference:+.3f} ({low:+.3f} … {high:+.3f}) | {100 * difference / statistics.median(first):+.1f} % "
            f"| {floor(second) - floor(first):+.3f} | {rank_test(first, second):.3f} |")
