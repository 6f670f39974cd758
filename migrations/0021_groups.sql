CREATE TABLE "group_candidates" (
	"workspace_id" bigint NOT NULL,
	"environment" smallint NOT NULL,
	"mpid" bigint NOT NULL,
	"group_key" uuid NOT NULL,
	"joined_at" bigint NOT NULL,
	CONSTRAINT "group_candidates_workspace_id_environment_mpid_pk" PRIMARY KEY("workspace_id","environment","mpid")
);
--> statement-breakpoint
CREATE TABLE "group_definitions" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"description" text NOT NULL,
	"source_user_attribute" text NOT NULL,
	"attributes" text NOT NULL,
	"revision" integer NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone NOT NULL,
	"last_modified_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "group_locks" (
	"workspace_id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "group_runs" (
	"workspace_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"type" text NOT NULL,
	"due_on" timestamp (3) with time zone,
	"requested_by" text NOT NULL,
	"requested_on" timestamp (3) with time zone NOT NULL,
	"status" text NOT NULL,
	"started_on" timestamp (3) with time zone,
	"ended_on" timestamp (3) with time zone,
	"progress" text,
	"counts" text NOT NULL,
	"failures" integer NOT NULL,
	"error" text,
	CONSTRAINT "group_runs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "group_runs_by_due" UNIQUE("workspace_id","due_on")
);
--> statement-breakpoint
CREATE TABLE "group_attributes" (
	"workspace_id" bigint NOT NULL,
	"environment" smallint NOT NULL,
	"group_key" uuid NOT NULL,
	"attributes" text NOT NULL,
	"set_at" bigint NOT NULL,
	CONSTRAINT "group_attributes_workspace_id_environment_group_key_pk" PRIMARY KEY("workspace_id","environment","group_key")
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"workspace_id" bigint NOT NULL,
	"environment" smallint NOT NULL,
	"mpid" bigint NOT NULL,
	"group_key" uuid NOT NULL,
	"run_id" bigint NOT NULL,
	CONSTRAINT "group_members_workspace_id_environment_mpid_pk" PRIMARY KEY("workspace_id","environment","mpid")
);
--> statement-breakpoint
CREATE INDEX "group_candidates_in_order" ON "group_candidates" USING btree ("workspace_id","environment","group_key","joined_at","mpid");--> statement-breakpoint
CREATE INDEX "group_members_by_group" ON "group_members" USING btree ("workspace_id","environment","group_key");