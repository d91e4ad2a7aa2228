-- Are 95 % intervals what they claim? Of each run's, the share that holds the mean of the other seeds.
WITH run AS (
  SELECT axes, seed, name, steady_goodput_bps AS bps, steady_ci95_bps AS half
  FROM point JOIN flow ON point = number),
held AS (
  SELECT run.half, abs(run.bps - avg(other.bps)) AS off
  FROM run JOIN run AS other ON other.axes = run.axes AND other.name = run.name AND other.seed <> run.seed
  GROUP BY run.axes, run.name, run.seed)
SELECT count(*) AS runs, count(half) AS with_interval, round(100.0 * sum(off <= half) / count(half), 1) AS held_percent,
       round(avg(half) / 1e6, 2) AS mean_half_mbps
FROM held;
