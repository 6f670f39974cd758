CREATE TABLE "claim_locks" (
	"workspace_id" bigint PRIMARY KEY NOT NULL
);
