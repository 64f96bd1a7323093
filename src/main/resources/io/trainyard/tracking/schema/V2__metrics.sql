-- Users' own metrics. Keyed by the job's id, since they may be read before the job's command.
CREATE TABLE metrics (
    number      BIGINT PRIMARY KEY,
    job         TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    points      BIGINT NOT NULL, -- at most this many are stored
    stride      BIGINT NOT NULL, -- one of so many received points is stored
    received    BIGINT NOT NULL,
    last_step   BIGINT NOT NULL,
    last_millis BIGINT NOT NULL,
    last_value  DOUBLE PRECISION NOT NULL,
    UNIQUE (job, name)
);
CREATE TABLE metric_points (
    metric BIGINT NOT NULL,
    step   BIGINT NOT NULL,
    millis BIGINT NOT NULL,
    value  DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (metric, step)
) ${clustered};
