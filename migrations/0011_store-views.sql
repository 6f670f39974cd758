-- What people who read the store themselves may build on: docs/store-views.md. Written by hand. The views of a version never
-- change; what needs another shape gets another version. jsonb holds no number of a hundred thousand digits: such JSON is null.
CREATE FUNCTION penstock_v1_jsonb(kept text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL RESTRICTED AS $$
BEGIN
	RETURN kept::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE VIEW penstock_v1_profiles AS
SELECT p.workspace_id, e.environment, p.mpid, p.created_on, p.source_mpid, p.holds_login,
	penstock_v1_jsonb(p.attributes) AS attributes, penstock_v1_jsonb(p.consent) AS consent_state
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number;
--> statement-breakpoint
CREATE VIEW penstock_v1_profile_identities AS
SELECT p.workspace_id, e.environment, p.mpid, i.pair ->> 0 AS identity_type, i.pair ->> 1 AS identity
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number
CROSS JOIN LATERAL jsonb_array_elements(p.identities::jsonb) AS i (pair);
--> statement-breakpoint
-- a name of blanks alone has one blank more among the times, where "" stands for all that are not named
CREATE VIEW penstock_v1_profile_attributes AS
SELECT p.workspace_id, e.environment, p.mpid, a.name, a.value,
	'epoch'::timestamptz + coalesce(t.times ->> (CASE WHEN a.name ~ '^ *$' THEN ' ' || a.name ELSE a.name END), t.times ->> '')::bigint
		* interval '1 microsecond' AS set_on
FROM (VALUES (0::smallint, 'production'), (1::smallint, 'development')) AS e (number, environment)
JOIN profiles p ON p.environment = e.number
CROSS JOIN LATERAL (SELECT p.attribute_times::jsonb AS times) AS t
CROSS JOIN LATERAL jsonb_each(penstock_v1_jsonb(p.attributes)) AS a (name, value);
--> statement-breakpoint
CREATE VIEW penstock_v1_batches AS
SELECT b.workspace_id, CASE b.environment WHEN 0 THEN 'production' ELSE 'development' END AS environment, b.mpid,
	b.received_on, b.id AS receipt_id, p.id AS pipeline_id, b.input_key,
	penstock_v1_jsonb(b.text) AS batch, b.text AS batch_text
FROM event_batches b
LEFT JOIN pipelines p ON p.workspace_id = b.workspace_id AND p.number = b.pipeline_number;
--> statement-breakpoint
CREATE VIEW penstock_v1_events AS
SELECT b.workspace_id, b.environment, b.mpid, b.received_on, b.receipt_id, e.number::integer AS event_number, b.pipeline_id,
	b.input_key, e.event ->> 'event_type' AS event_type, e.event -> 'data' ->> 'event_name' AS event_name,
	CASE WHEN jsonb_typeof(e.event #> '{data,timestamp_unixtime_ms}') = 'number'
		AND (e.event #>> '{data,timestamp_unixtime_ms}')::numeric BETWEEN -62135596800000 AND 253402300799999
		THEN 'epoch'::timestamptz + (e.event #>> '{data,timestamp_unixtime_ms}')::bigint * interval '1 millisecond'
	END AS occurred_on,
	e.event -> 'data' AS data
FROM penstock_v1_batches b
CROSS JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(b.batch -> 'events') = 'array' THEN b.batch -> 'events' END)
	WITH ORDINALITY AS e (event, number);
