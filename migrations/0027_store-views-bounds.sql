-- Older versions kept times that no date holds: such an attribute shows the nearest time of the years 1 to 9999, and everybody
-- else's are read as before. Whole seconds apart from the rest, because an interval is multiplied by a double. Same columns.
CREATE OR REPLACE VIEW penstock_v1_profile_attributes AS
SELECT p.workspace_id, e.environment, p.mpid, a.name, a.value,
	'epoch'::timestamptz + (s.set_at / 1000000) * interval '1 second' + (s.set_at % 1000000) * interval '1 microsecond' AS set_on
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number
LEFT JOIN group_members m ON m.workspace_id = p.workspace_id AND m.environment = p.environment AND m.mpid = p.mpid
LEFT JOIN group_attributes g ON g.workspace_id = m.workspace_id AND g.environment = m.environment AND g.group_key = m.group_key
CROSS JOIN LATERAL (SELECT p.attribute_times::jsonb AS times, coalesce(penstock_v1_jsonb(g.attributes), '{}') AS inherited) AS t
CROSS JOIN LATERAL jsonb_each(penstock_v1_jsonb(p.attributes) || t.inherited) AS a (name, value)
CROSS JOIN LATERAL (SELECT CASE WHEN t.inherited ? a.name THEN g.set_at
	ELSE least(greatest(
		coalesce(t.times ->> (CASE WHEN a.name ~ '^ *$' THEN ' ' || a.name ELSE a.name END), t.times ->> '')::numeric,
		-62135596800000000), 253402300799999999)::bigint
	END AS set_at) AS s;
