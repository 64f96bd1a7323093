-- What jobs are sorted by that predict numbers. A job that is here already gets it with its next news.
ALTER TABLE jobs ADD COLUMN test_loss DOUBLE PRECISION;
