CREATE TABLE "field_transformations" (
	"workspace_id" bigint NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"destination_type" text NOT NULL,
	"mappings" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone,
	"last_modified_by" text,
	CONSTRAINT "field_transformations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "pipelines" ADD COLUMN "field_transformation_id" text;--> statement-breakpoint
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_workspace_id_field_transformation_id_field_transformations_workspace_id_id_fk" FOREIGN KEY ("workspace_id","field_transformation_id") REFERENCES "public"."field_transformations"("workspace_id","id") ON DELETE no action ON UPDATE no action;