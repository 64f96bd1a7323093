-- What the jobs of a sweep, or of another group, are found by.
ALTER TABLE jobs ADD COLUMN job_group TEXT;
CREATE INDEX jobs_by_group ON jobs (job_group);

UPDATE jobs SET job_group = (SELECT summary${json} ->> 'group' FROM summaries WHERE summaries.job = jobs.number);
