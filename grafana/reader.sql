-- Whom Grafana reads the tracking store as: whoever may see a page may ask anything of it. Run once in the new database, by
-- whom the dashboard will write as; the password is for the fleet of compose.yaml, which nobody else reaches.
CREATE ROLE grafana LOGIN PASSWORD 'grafana';
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO grafana;
