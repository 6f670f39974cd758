-- What a profile inherits from its group stands among its attributes, and hides one of its own of that name. Same columns.
CREATE OR REPLACE VIEW penstock_v1_profiles AS
SELECT p.workspace_id, e.environment, p.mpid, p.created_on, p.source_mpid, p.holds_login,
	penstock_v1_jsonb(p.attributes) || coalesce(penstock_v1_jsonb(g.attributes), '{}') AS attributes,
	penstock_v1_jsonb(p.consent) AS consent_state
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number
LEFT JOIN group_members m ON m.workspace_id = p.workspace_id AND m.environment = p.environment AND m.mpid = p.mpid
LEFT JOIN group_attributes g ON g.workspace_id = m.workspace_id AND g.environment = m.environment AND g.group_key = m.group_key;
--> statement-breakpoint
CREATE OR REPLACE VIEW penstock_v1_profile_attributes AS
SELECT p.workspace_id, e.environment, p.mpid, a.name, a.value,
	'epoch'::timestamptz + CASE WHEN t.inherited ? a.name THEN g.set_at
		ELSE coalesce(t.times ->> (CASE WHEN a.name ~ '^ *$' THEN ' ' || a.name ELSE a.name END), t.times ->> '')::bigint
		END * interval '1 microsecond' AS set_on
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number
LEFT JOIN group_members m ON m.workspace_id = p.workspace_id AND m.environment = p.environment AND m.mpid = p.mpid
LEFT JOIN group_attributes g ON g.workspace_id = m.workspace_id AND g.environment = m.environment AND g.group_key = m.group_key
CROSS JOIN LATERAL (SELECT p.attribute_times::jsonb AS times, coalesce(penstock_v1_jsonb(g.attributes), '{}') AS inherited) AS t
CROSS JOIN LATERAL jsonb_each(penstock_v1_jsonb(p.attributes) || t.inherited) AS a (name, value);
