"""Percentiles of the histogram in a result (StreamReport.latency), without the report's rounding.

The report rounds up to a bucket's upper edge, which is at most 1.6% too much: a bench that compares with exact
figures to within 3% takes the counts and goes along a straight line inside the bucket.
"""

SUB_BUCKET_BITS = 6  # common/stats/latency_histogram.h


def lower_edge_ns(bucket: int) -> int:
    """The shortest duration that belongs to the bucket."""
    shift = max(bucket >> SUB_BUCKET_BITS, 1) - 1
    return (bucket - (shift << SUB_BUCKET_BITS)) << shift


def percentile_ns(latency: dict, share: float) -> float:
    counts = latency["counts"]
    total = sum(counts)
    if total == 0:
        raise RuntimeError("no transaction was completed in the window")
    wanted = total * share
    below = 0
    for place, count in enumerate(counts):
        if count and below + count >= wanted:
            bucket = latency["first_bucket"] + place
            low, high = lower_edge_ns(bucket), lower_edge_ns(bucket + 1)
            inside = low + (high - low) * (wanted - below) / count
            return min(max(inside, latency["min_ns"]), latency["max_ns"])
        below += count
    return latency["max_ns"]
