-- What device-hours are made of: that a worker had devices for an attempt at a job.
CREATE TABLE device_uses (
    job          BIGINT  NOT NULL,
    attempt      INTEGER NOT NULL,
    first        INTEGER NOT NULL, -- 1: no earlier attempt at the job is known
    worker       TEXT    NOT NULL,
    device       TEXT    NOT NULL, -- its kind
    devices      INTEGER NOT NULL, -- how many
    start_millis BIGINT  NOT NULL,
    end_millis   BIGINT  NOT NULL, -- where its worker has not told the end, its newest news
    lost         INTEGER NOT NULL, -- 1: its worker never told how it ended
    PRIMARY KEY (job, attempt)
) ${clustered};
CREATE INDEX device_uses_by_end ON device_uses (end_millis);

-- The same of jobs that are forgotten, added up by day in UTC. What is not known is an empty text.
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
