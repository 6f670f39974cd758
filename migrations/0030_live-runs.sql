DROP INDEX "pipeline_runs_by_pipeline";--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "losses" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "pipeline_runs_waiting" ON "pipeline_runs" USING btree ("workspace_id","connection_id","created_on","id") WHERE status = 'queued' OR (status = 'retrying' AND retry_at IS NULL);--> statement-breakpoint
CREATE INDEX "pipeline_runs_by_pipeline" ON "pipeline_runs" USING btree ("workspace_id","pipeline_number","created_on","id");