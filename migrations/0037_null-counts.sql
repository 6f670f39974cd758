CREATE TABLE "null_iterator_counts" (
	"workspace_id" bigint NOT NULL,
	"pipeline_number" bigint NOT NULL,
	"question" text NOT NULL,
	"nulls" bigint,
	"counted_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "null_iterator_counts_workspace_id_pipeline_number_pk" PRIMARY KEY("workspace_id","pipeline_number")
);
--> statement-breakpoint
ALTER TABLE "null_iterator_counts" ADD CONSTRAINT "null_iterator_counts_pipeline_fk" FOREIGN KEY ("workspace_id","pipeline_number") REFERENCES "public"."pipelines"("workspace_id","number") ON DELETE cascade ON UPDATE no action;