-- what was named before the environments were told apart counts in both: its hash for development is made as by requestHash
INSERT INTO "batch_requests" ("workspace_id", "hash", "received_on")
SELECT "workspace_id", left(encode(sha256(convert_to(replace("hash"::text, '-', '') || '/development', 'UTF8')), 'hex'), 32)::uuid, "received_on"
FROM "batch_requests"
ON CONFLICT DO NOTHING;
