ALTER TABLE "platform_credentials" ALTER COLUMN "workspace_ids" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "input_credentials" ADD COLUMN "previous_secret" text;--> statement-breakpoint
ALTER TABLE "input_credentials" ADD COLUMN "previous_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "platform_credentials" ADD COLUMN "previous_sha256" "bytea";--> statement-breakpoint
ALTER TABLE "platform_credentials" ADD COLUMN "previous_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "generation" integer NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "platform_credentials_by_name" ON "platform_credentials" USING btree ("account_id","name") WHERE revoked_on IS NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_by_name" UNIQUE("organisation_id","name");--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_generation_unique" UNIQUE("generation");--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_by_name" UNIQUE("account_id","name");