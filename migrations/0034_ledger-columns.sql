ALTER TABLE "run_chunks" ADD COLUMN "ends_before" text;--> statement-breakpoint
ALTER TABLE "run_chunks" ADD COLUMN "columns" text;--> statement-breakpoint
-- what runs delivered before lies in their ranges; a run whose range a retry forgot ends where it was to end
UPDATE "run_chunks" AS chunk SET "ends_before" = coalesce(run."range_end", run."nominal_end")
FROM "pipeline_runs" AS run WHERE run."workspace_id" = chunk."workspace_id" AND run."id" = chunk."run_id";
