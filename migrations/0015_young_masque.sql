CREATE TABLE "erased_mpids" (
	"workspace_id" bigint NOT NULL,
	"pipeline_number" bigint NOT NULL,
	"mpid" bigint NOT NULL,
	"erased_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "erased_mpids_workspace_id_pipeline_number_mpid_pk" PRIMARY KEY("workspace_id","pipeline_number","mpid")
);
--> statement-breakpoint
CREATE TABLE "write_back_conflicts" (
	"workspace_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"key" text NOT NULL,
	"mpid" bigint NOT NULL,
	"found_mpid" bigint,
	"reason" text NOT NULL,
	"found_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "write_back_conflicts_workspace_id_run_id_id_pk" PRIMARY KEY("workspace_id","run_id","id")
);
--> statement-breakpoint
CREATE TABLE "written_back_pipelines" (
	"workspace_id" bigint NOT NULL,
	"pipeline_number" bigint NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "written_back_pipelines_workspace_id_pipeline_number_pk" PRIMARY KEY("workspace_id","pipeline_number")
);
--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "written_records" bigint;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "conflicting_records" bigint;--> statement-breakpoint
ALTER TABLE "erased_mpids" ADD CONSTRAINT "erased_mpids_pipeline_fk" FOREIGN KEY ("workspace_id","pipeline_number") REFERENCES "public"."pipelines"("workspace_id","number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "write_back_conflicts" ADD CONSTRAINT "write_back_conflicts_run_fk" FOREIGN KEY ("workspace_id","run_id") REFERENCES "public"."pipeline_runs"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "written_back_pipelines" ADD CONSTRAINT "written_back_pipelines_pipeline_fk" FOREIGN KEY ("workspace_id","pipeline_number") REFERENCES "public"."pipelines"("workspace_id","number") ON DELETE cascade ON UPDATE no action;