-- How far the sweep is, and what failed.
SELECT state, count(*) AS points, count(DISTINCT error) AS reasons, min(error) AS first_reason
FROM point GROUP BY state;
