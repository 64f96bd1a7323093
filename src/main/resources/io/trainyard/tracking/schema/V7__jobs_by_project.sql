-- Whose jobs are. What older versions wrote of jobs does not tell it of each: such a job gets it with its next news.
ALTER TABLE jobs ADD COLUMN project TEXT; -- null where neither its command nor its start is known

UPDATE jobs SET project = COALESCE(
    (SELECT summary${json} -> 'facts' -> 'work' ->> 'project' FROM summaries WHERE summaries.job = jobs.number), 'default')
WHERE wants IS NOT NULL;
CREATE INDEX jobs_by_project ON jobs (project);
