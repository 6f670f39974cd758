-- Partitioned by month of receipt, which drizzle-kit does not know: the months are made by src/events/keep-partitions.ts.
CREATE TABLE "event_batches" (
	"workspace_id" bigint NOT NULL,
	"mpid" bigint NOT NULL,
	"received_on" timestamp (3) with time zone NOT NULL,
	"id" bigint NOT NULL,
	"environment" smallint NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "event_batches_workspace_id_mpid_received_on_id_pk" PRIMARY KEY("workspace_id","mpid","received_on","id")
) PARTITION BY RANGE ("received_on");
--> statement-breakpoint
-- catches what is received in a month that has no partition, so that nothing is ever refused for want of one
CREATE TABLE "event_batches_default" PARTITION OF "event_batches" DEFAULT;
--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "consent" text;