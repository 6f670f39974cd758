CREATE TABLE "data_plans" (
	"workspace_id" bigint NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"versions" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone,
	"last_modified_by" text,
	CONSTRAINT "data_plans_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "data_plans" ADD CONSTRAINT "data_plans_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;