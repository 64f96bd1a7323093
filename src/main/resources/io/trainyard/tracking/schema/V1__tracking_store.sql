-- Steps and attempts count from 1; times are milliseconds since 1970. Numbers in bytes are little-endian.

-- The next offset of each partition, written in the transaction that stores the records before it.
CREATE TABLE offsets (
    topic       TEXT    NOT NULL, -- its id
    partition   INTEGER NOT NULL,
    next_offset BIGINT  NOT NULL,
    PRIMARY KEY (topic, partition)
);

-- A job, with the columns that lists filter and sort by. Narrow, because lists read all rows.
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
    attempts        TEXT    NOT NULL, -- "1:500 2:": the attempts whose losses count, each with its last step that counts
    loss            DOUBLE PRECISION,
    accuracy        DOUBLE PRECISION,
    wants           TEXT, -- the requested kind of device
    topic           TEXT, -- of its newest command
    test_loss       DOUBLE PRECISION,
    project         TEXT, -- null if neither its command nor its start is known
    job_group       TEXT  -- the sweep or other group
);
CREATE INDEX jobs_by_submission ON jobs (submitted_millis, number);
CREATE INDEX jobs_by_end ON jobs (end_millis);
CREATE INDEX jobs_by_project ON jobs (project);
CREATE INDEX jobs_by_group ON jobs (job_group);

-- The data of a job that lists show, as JSON.
CREATE TABLE summaries (
    job     BIGINT PRIMARY KEY,
    summary TEXT NOT NULL
);

-- All records of jobs except losses, as they were read. The state of a job is computed from them.
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

-- The losses of consecutive steps, float32. No row crosses the border of a chunk of the first level.
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

-- The levels of a curve: 64 consecutive buckets of 16 steps on level 1, 64 on level 2, 256 on level 3. The columns of the
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

-- Notes and tags of users.
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

-- Alerts that were sent or are pending, so that none is sent twice.
CREATE TABLE alerts (
    id            TEXT    PRIMARY KEY, -- derived from the event or state that it reports
    raised_millis BIGINT  NOT NULL,
    next_millis   BIGINT  NOT NULL, -- the next time to send it; 0: never
    attempts      INTEGER NOT NULL, -- failed deliveries
    sent_millis   BIGINT  NOT NULL, -- when it was delivered; 0: it was not
    body          TEXT    NOT NULL
);
CREATE INDEX alerts_by_next ON alerts (next_millis);

-- The time from which alerts are sent; earlier events raise none. One row, or none.
CREATE TABLE alerting (
    since_millis BIGINT NOT NULL
);

-- The devices and times of an attempt, from which device-hours are computed.
CREATE TABLE device_uses (
    job          BIGINT  NOT NULL,
    attempt      INTEGER NOT NULL,
    first        INTEGER NOT NULL, -- 1: no earlier attempt at the job is known
    worker       TEXT    NOT NULL,
    device       TEXT    NOT NULL, -- its kind
    devices      INTEGER NOT NULL, -- how many
    start_millis BIGINT  NOT NULL,
    end_millis   BIGINT  NOT NULL, -- without an event that ends the attempt: its newest event
    lost         INTEGER NOT NULL, -- 1: the worker never published how the attempt ended
    PRIMARY KEY (job, attempt)
) ${clustered};
CREATE INDEX device_uses_by_end ON device_uses (end_millis);

-- The same for deleted jobs, summed by day in UTC. An unknown value is an empty text.
CREATE TABLE forgotten_uses (
    day           BIGINT NOT NULL, -- since 1970
    device        TEXT   NOT NULL,
    dataset       TEXT   NOT NULL,
    network       TEXT   NOT NULL,
    status        TEXT   NOT NULL,
    device_millis BIGINT NOT NULL,
    lost_millis   BIGINT NOT NULL,
    jobs          BIGINT NOT NULL, -- that began on this day
    attempts      BIGINT NOT NULL, -- that began on this day
    PRIMARY KEY (day, device, dataset, network, status)
);

-- The user who submitted a job on the dashboard, with sign-in. Keyed by the job's id, since it is written before the
-- job's command is read.
CREATE TABLE submitters (
    job       TEXT   PRIMARY KEY,
    submitter TEXT   NOT NULL, -- the provider's id of the user
    name      TEXT   NOT NULL, -- the displayed name
    millis    BIGINT NOT NULL
);
CREATE INDEX submitters_by_submitter ON submitters (submitter);
