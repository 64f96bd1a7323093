-- What somebody was told of, or is to be: so nobody is told twice.
CREATE TABLE alerts (
    id            TEXT    PRIMARY KEY, -- of what it is about
    raised_millis BIGINT  NOT NULL,
    next_millis   BIGINT  NOT NULL, -- when it is sent next; 0: no more
    attempts      INTEGER NOT NULL, -- in vain
    sent_millis   BIGINT  NOT NULL, -- when it was taken; 0: it was not
    body          TEXT    NOT NULL
);
CREATE INDEX alerts_by_next ON alerts (next_millis);

-- Since when alerts are sent: nobody is told of what happened before. One row, or none.
CREATE TABLE alerting (
    since_millis BIGINT NOT NULL
);
