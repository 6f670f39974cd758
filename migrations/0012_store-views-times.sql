-- A time may be written with a point or an exponent: 1700000000000.0 is a whole number, and no text of a bigint. The outer CASE
-- alone says what is looked at first, so that nothing but a number is ever cast.
CREATE OR REPLACE VIEW penstock_v1_events AS
SELECT b.workspace_id, b.environment, b.mpid, b.received_on, b.receipt_id, e.number::integer AS event_number, b.pipeline_id,
	b.input_key, e.event ->> 'event_type' AS event_type, e.event -> 'data' ->> 'event_name' AS event_name,
	CASE WHEN jsonb_typeof(e.event #> '{data,timestamp_unixtime_ms}') = 'number' THEN
		CASE WHEN (e.event #> '{data,timestamp_unixtime_ms}')::numeric BETWEEN -62135596800000 AND 253402300799999
			THEN 'epoch'::timestamptz + (e.event #> '{data,timestamp_unixtime_ms}')::numeric::bigint * interval '1 millisecond'
		END
	END AS occurred_on,
	e.event -> 'data' AS data
FROM penstock_v1_batches b
CROSS JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(b.batch -> 'events') = 'array' THEN b.batch -> 'events' END)
	WITH ORDINALITY AS e (event, number);
