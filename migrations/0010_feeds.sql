CREATE TABLE "feeds" (
	"workspace_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "feeds_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"module_name" text NOT NULL,
	"os" text,
	"settings" text NOT NULL,
	"is_active" boolean NOT NULL,
	"key" text NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	CONSTRAINT "feeds_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "feeds_by_name" UNIQUE("workspace_id","name")
);
--> statement-breakpoint
ALTER TABLE "input_credentials" ADD COLUMN "uses" text[] DEFAULT '{"server"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "input_credentials" ADD COLUMN "feed_id" bigint;--> statement-breakpoint
ALTER TABLE "feeds" ADD CONSTRAINT "feeds_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feeds" ADD CONSTRAINT "feeds_key_input_credentials_key_fk" FOREIGN KEY ("key") REFERENCES "public"."input_credentials"("key") ON DELETE no action ON UPDATE no action;