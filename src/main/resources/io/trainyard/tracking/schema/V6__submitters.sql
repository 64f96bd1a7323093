-- Who submitted a job by the dashboard, where people sign in. By name, because it is submitted before it is heard of.
CREATE TABLE submitters (
    job       TEXT   PRIMARY KEY,
    submitter TEXT   NOT NULL,
    millis    BIGINT NOT NULL
);
CREATE INDEX submitters_by_submitter ON submitters (submitter);
