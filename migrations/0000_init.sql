CREATE TABLE "accounts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "accounts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organisation_id" bigint NOT NULL,
	"name" text NOT NULL,
	"warehouse_sync_provisioned" boolean DEFAULT true NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"workspace_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"occurred_on" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"resource" text NOT NULL,
	"detail" text NOT NULL,
	CONSTRAINT "audit_log_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "input_credentials" (
	"key" text PRIMARY KEY NOT NULL,
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"secret" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"revoked_on" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "organisations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "organisations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "organisations_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "platform_credentials" (
	"client_id" text PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"workspace_ids" bigint[] NOT NULL,
	"secret_sha256" "bytea" NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"revoked_on" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"public_jwk" text NOT NULL,
	"private_key" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"retires_on" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "workspace_settings" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"settings" text NOT NULL,
	"version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "workspaces_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" bigint NOT NULL,
	"name" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "failed_records" (
	"workspace_id" bigint NOT NULL,
	"run_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"row" text NOT NULL,
	"field" text NOT NULL,
	"value" text,
	"rule" text NOT NULL,
	"reason" text NOT NULL,
	"failed_on" timestamp (3) with time zone NOT NULL,
	"retried_on" timestamp (3) with time zone,
	CONSTRAINT "failed_records_workspace_id_run_id_id_pk" PRIMARY KEY("workspace_id","run_id","id")
);
--> statement-breakpoint
CREATE TABLE "creation_locks" (
	"workspace_id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "profile_identities" (
	"workspace_id" bigint NOT NULL,
	"key" uuid NOT NULL,
	"slot" smallint NOT NULL,
	"mpid" bigint NOT NULL,
	CONSTRAINT "profile_identities_workspace_id_key_slot_pk" PRIMARY KEY("workspace_id","key","slot")
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"workspace_id" bigint NOT NULL,
	"environment" smallint NOT NULL,
	"mpid" bigint NOT NULL,
	"identities" text NOT NULL,
	"attributes" text NOT NULL,
	"attribute_times" text NOT NULL,
	"row_hash" uuid,
	"holds_login" boolean NOT NULL,
	"source_mpid" bigint,
	"version" integer NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "profiles_workspace_id_environment_mpid_pk" PRIMARY KEY("workspace_id","environment","mpid")
);
--> statement-breakpoint
CREATE TABLE "cadences" (
	"name" text PRIMARY KEY NOT NULL,
	"cron" text NOT NULL,
	"next_due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "connections" (
	"workspace_id" bigint NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"state" text NOT NULL,
	"provider" text NOT NULL,
	"config" text NOT NULL,
	"fault" text,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone,
	"last_modified_by" text,
	CONSTRAINT "connections_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "data_models" (
	"workspace_id" bigint NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"state" text NOT NULL,
	"sql_query" text NOT NULL,
	"fault" text,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone,
	"last_modified_by" text,
	CONSTRAINT "data_models_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "pipeline_runs" (
	"workspace_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "pipeline_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"pipeline_number" bigint NOT NULL,
	"connection_id" text NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"fence" integer NOT NULL,
	"attempts" integer NOT NULL,
	"retry_at" timestamp (3) with time zone,
	"errors" text NOT NULL,
	"warnings" text NOT NULL,
	"logical_date" timestamp (3) with time zone NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"started_on" timestamp (3) with time zone,
	"ended_on" timestamp (3) with time zone,
	"nominal_end" text,
	"range_start" text,
	"range_end" text,
	"snapshot" text,
	"extracted_records" bigint NOT NULL,
	"successful_records" bigint NOT NULL,
	"failed_records" bigint NOT NULL,
	"deduplicated_records" bigint NOT NULL,
	"erased_records" bigint NOT NULL,
	"idempotency_key" text,
	CONSTRAINT "pipeline_runs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "pipelines" (
	"workspace_id" bigint NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "pipelines_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"name" text NOT NULL,
	"pipeline_type" text NOT NULL,
	"connection_id" text,
	"data_model_id" text,
	"state" text NOT NULL,
	"environment" text NOT NULL,
	"sync_mode" text NOT NULL,
	"schedule" text NOT NULL,
	"kept" text NOT NULL,
	"fault" text,
	"warnings" text NOT NULL,
	"position" text,
	"scheduled_until" timestamp (3) with time zone,
	"next_due_at" timestamp (3) with time zone,
	"generation" integer NOT NULL,
	"failed_in_a_row" integer NOT NULL,
	"latest_successful_run_id" bigint,
	"deleted_on" timestamp (3) with time zone,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone,
	"last_modified_by" text,
	CONSTRAINT "pipelines_workspace_id_number_pk" PRIMARY KEY("workspace_id","number")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_organisation_id_organisations_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "input_credentials" ADD CONSTRAINT "input_credentials_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_credentials" ADD CONSTRAINT "platform_credentials_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspace_settings" ADD CONSTRAINT "workspace_settings_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "failed_records" ADD CONSTRAINT "failed_records_workspace_id_run_id_pipeline_runs_workspace_id_id_fk" FOREIGN KEY ("workspace_id","run_id") REFERENCES "public"."pipeline_runs"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD CONSTRAINT "pipeline_runs_workspace_id_pipeline_number_pipelines_workspace_id_number_fk" FOREIGN KEY ("workspace_id","pipeline_number") REFERENCES "public"."pipelines"("workspace_id","number") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_workspace_id_connection_id_connections_workspace_id_id_fk" FOREIGN KEY ("workspace_id","connection_id") REFERENCES "public"."connections"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_workspace_id_data_model_id_data_models_workspace_id_id_fk" FOREIGN KEY ("workspace_id","data_model_id") REFERENCES "public"."data_models"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_by_time" ON "audit_log" USING btree ("workspace_id","occurred_on");--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_runs_live" ON "pipeline_runs" USING btree ("workspace_id","pipeline_number") WHERE status IN ('queued', 'running', 'retrying');--> statement-breakpoint
CREATE INDEX "pipeline_runs_by_pipeline" ON "pipeline_runs" USING btree ("workspace_id","pipeline_number","logical_date");--> statement-breakpoint
CREATE INDEX "pipeline_runs_by_status" ON "pipeline_runs" USING btree ("status","retry_at") WHERE status IN ('queued', 'running', 'retrying');--> statement-breakpoint
CREATE UNIQUE INDEX "pipelines_by_id" ON "pipelines" USING btree ("workspace_id","id") WHERE deleted_on IS NULL;--> statement-breakpoint
CREATE INDEX "pipelines_due" ON "pipelines" USING btree ("next_due_at") WHERE next_due_at IS NOT NULL;