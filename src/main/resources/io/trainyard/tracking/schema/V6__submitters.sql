-- Who submitted a job by the dashboard, where people sign in. By the job's id, because it is submitted before it is heard of.
CREATE TABLE submitters (
    job       TEXT   PRIMARY KEY,
    submitter TEXT   NOT NULL, -- the provider's id of them
    name      TEXT   NOT NULL, -- for people
    millis    BIGINT NOT NULL
);
CREATE INDEX submitters_by_submitter ON submitters (submitter);
