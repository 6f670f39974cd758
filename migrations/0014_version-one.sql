ALTER TABLE "data_models" ADD COLUMN "load_timestamp" text;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "delivered_units" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "requested_by" text;