-- What jobs that wait are counted by.
ALTER TABLE jobs ADD COLUMN wants TEXT; -- the kind of device that it asks for
ALTER TABLE jobs ADD COLUMN topic TEXT; -- of its newest command

-- Of jobs that have not ended; others are not counted.
UPDATE jobs SET
    wants = (SELECT summary${json} ->> 'wants' FROM summaries WHERE summaries.job = jobs.number),
    topic = (SELECT SUBSTR(publisher, 1, ${position}(publisher, ' at offset ') - 3) -- less "-0": such topics have one partition
             FROM job_records WHERE job_records.job = jobs.number AND kind = 'requested' ORDER BY number DESC LIMIT 1)
WHERE end_millis = 0;
