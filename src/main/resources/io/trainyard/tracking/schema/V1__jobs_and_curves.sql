-- Steps count from 1 and attempts from 1; times are milliseconds since 1970. Numbers in bytes are little-endian.

-- How far each partition has been read. Written in the transaction that holds what was read.
CREATE TABLE offsets (
    topic       TEXT    NOT NULL, -- its id
    partition   INTEGER NOT NULL,
    next_offset BIGINT  NOT NULL,
    PRIMARY KEY (topic, partition)
);

-- A row for each job: what lists are filtered and sorted by. Narrow, because lists read all of it.
CREATE TABLE jobs (
    number          BIGINT PRIMARY KEY,
    job             TEXT   NOT NULL UNIQUE,
    status          TEXT   NOT NULL,
    submitted_millis    BIGINT NOT NULL,
    start_millis    BIGINT NOT NULL,
    duration_millis BIGINT NOT NULL,
    end_millis      BIGINT NOT NULL, -- 0 until it has ended
    dataset         TEXT,
    network         TEXT,
    worker          TEXT,
    device          TEXT,
    epochs_done     INTEGER NOT NULL,
    step            BIGINT  NOT NULL,
    attempts        TEXT    NOT NULL, -- "1:500 2:": those whose losses count, and the last step of each that does
    loss            DOUBLE PRECISION,
    accuracy        DOUBLE PRECISION
);
CREATE INDEX jobs_by_heard ON jobs (submitted_millis, number);
CREATE INDEX jobs_by_end ON jobs (end_millis);

-- What lists show of a job, as JSON.
CREATE TABLE summaries (
    job     BIGINT PRIMARY KEY,
    summary TEXT NOT NULL
);

-- All that is told of jobs but losses, as it was taken in: where a job stands is the fold of it.
CREATE TABLE job_records (
    job      BIGINT NOT NULL,
    number   BIGINT NOT NULL, -- in the order of reading
    kind     TEXT   NOT NULL, -- requested, happened, rejected
    publisher   TEXT,            -- happened: the worker; requested, rejected: the command's place
    position BIGINT NOT NULL, -- its offset
    millis   BIGINT NOT NULL,
    body     TEXT,            -- requested: the job; happened: the event; rejected: the reason
    PRIMARY KEY (job, number)
);

-- The losses of neighbouring steps, float32. No row crosses the border of a chunk of the first level.
CREATE TABLE losses (
    job            BIGINT  NOT NULL,
    attempt        INTEGER NOT NULL,
    first_step     BIGINT  NOT NULL,
    epoch          INTEGER NOT NULL,
    millis         BIGINT  NOT NULL,
    elapsed_micros BIGINT  NOT NULL,
    learning_rate  DOUBLE PRECISION,
    losses         ${bytes} NOT NULL,
    PRIMARY KEY (job, attempt, first_step)
) ${clustered};

-- The levels of a curve: 64 neighbouring buckets of 16 steps on level 1, 64 on level 2, 256 on level 3. The columns of the
-- buckets one after another: count, NaN or infinite (int32), min, max, last (float32), millis (int64), mean, sum of
-- squared differences from the mean (float64).
CREATE TABLE chunks (
    job     BIGINT   NOT NULL,
    level   INTEGER  NOT NULL,
    chunk   BIGINT   NOT NULL,
    attempt INTEGER  NOT NULL,
    buckets ${bytes} NOT NULL,
    PRIMARY KEY (job, level, chunk, attempt)
);

-- The newest control request of each job.
CREATE TABLE control_requests (
    job      TEXT   PRIMARY KEY,
    desired_state TEXT NOT NULL, -- run, pause, cancel
    priority TEXT,            -- high, normal, low
    millis   BIGINT NOT NULL
);

-- What people write beside a job.
CREATE TABLE notes (
    job  BIGINT PRIMARY KEY,
    note TEXT   NOT NULL
);
CREATE TABLE tags (
    job BIGINT NOT NULL,
    tag TEXT   NOT NULL,
    PRIMARY KEY (job, tag)
);
CREATE INDEX tags_by_tag ON tags (tag, job);
