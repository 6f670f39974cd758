CREATE TABLE "failed_columns" (
	"workspace_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"id" integer NOT NULL,
	"columns" text NOT NULL,
	CONSTRAINT "failed_columns_workspace_id_run_id_id_pk" PRIMARY KEY("workspace_id","run_id","id")
);
--> statement-breakpoint
CREATE TABLE "record_retries" (
	"workspace_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"failed_run_id" bigint NOT NULL,
	"ids" text,
	"read_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "record_retries_workspace_id_run_id_pk" PRIMARY KEY("workspace_id","run_id")
);
--> statement-breakpoint
CREATE TABLE "run_chunks" (
	"workspace_id" bigint NOT NULL,
	"pipeline_number" bigint NOT NULL,
	"generation" integer NOT NULL,
	"run_id" bigint NOT NULL,
	"after_rows" bigint NOT NULL,
	"delivered" "bytea" NOT NULL,
	"deduplicated" "bytea" NOT NULL,
	CONSTRAINT "run_chunks_pk" PRIMARY KEY("workspace_id","pipeline_number","generation","run_id","after_rows")
);
--> statement-breakpoint
-- hashes do not compress: nobody shall try
ALTER TABLE "run_chunks" ALTER COLUMN "delivered" SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE "run_chunks" ALTER COLUMN "deduplicated" SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE "failed_records" ADD COLUMN "cells" text;--> statement-breakpoint
ALTER TABLE "failed_records" ADD COLUMN "columns_id" integer;--> statement-breakpoint
ALTER TABLE "pipelines" ADD COLUMN "ledger_from" text;--> statement-breakpoint
ALTER TABLE "failed_columns" ADD CONSTRAINT "failed_columns_workspace_id_run_id_pipeline_runs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","run_id") REFERENCES "public"."pipeline_runs"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record_retries" ADD CONSTRAINT "record_retries_workspace_id_run_id_pipeline_runs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","run_id") REFERENCES "public"."pipeline_runs"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_chunks" ADD CONSTRAINT "run_chunks_workspace_id_run_id_pipeline_runs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","run_id") REFERENCES "public"."pipeline_runs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- of what was delivered before this there is no ledger
UPDATE "pipelines" SET "ledger_from" = "position";
--> statement-breakpoint
-- a run that is not over begins anew: what it had delivered is in no ledger either
UPDATE "pipeline_runs" SET "extracted_records" = 0, "successful_records" = 0, "failed_records" = 0 WHERE "status" IN ('queued', 'running', 'retrying');
--> statement-breakpoint
DELETE FROM "failed_records" USING "pipeline_runs" WHERE "pipeline_runs"."workspace_id" = "failed_records"."workspace_id" AND "pipeline_runs"."id" = "failed_records"."run_id" AND "pipeline_runs"."status" IN ('queued', 'running', 'retrying');
