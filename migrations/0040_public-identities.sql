ALTER TABLE "profile_identities" ADD COLUMN "is_public" boolean;--> statement-breakpoint
-- What others brought after a public key stands twice in the list of its profile: the mark of the former entry is void. Same columns.
CREATE OR REPLACE VIEW penstock_v1_profile_identities AS
SELECT p.workspace_id, e.environment, p.mpid, i.pair ->> 0 AS identity_type, i.pair ->> 1 AS identity
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number
CROSS JOIN LATERAL jsonb_array_elements(p.identities::jsonb) AS i (pair)
WHERE jsonb_array_length(i.pair) = 2 OR NOT EXISTS (
	SELECT FROM jsonb_array_elements(p.identities::jsonb) AS o (pair)
	WHERE jsonb_array_length(o.pair) = 2 AND o.pair ->> 0 = i.pair ->> 0
		AND CASE o.pair ->> 0 WHEN 'email' THEN lower(o.pair ->> 1) = lower(i.pair ->> 1) ELSE o.pair ->> 1 = i.pair ->> 1 END);
