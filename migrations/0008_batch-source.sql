CREATE TABLE "log_horizons" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"announced" timestamp (3) with time zone NOT NULL,
	"settled" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "event_batches" ADD COLUMN "pipeline_number" bigint;--> statement-breakpoint
ALTER TABLE "event_batches" ADD COLUMN "input_key" text;--> statement-breakpoint
CREATE INDEX "event_batches_by_time" ON "event_batches" USING btree ("workspace_id","received_on");