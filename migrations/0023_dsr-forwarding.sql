CREATE TABLE "dsr_forwards" (
	"workspace_id" bigint NOT NULL,
	"request_id" uuid NOT NULL,
	"partner_id" text NOT NULL,
	"domain" text NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"message" text,
	"detail" text,
	"body" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"queued_on" timestamp (3) with time zone NOT NULL,
	"next_attempt_on" timestamp (3) with time zone,
	"sent_on" timestamp (3) with time zone,
	CONSTRAINT "dsr_forwards_workspace_id_request_id_partner_id_pk" PRIMARY KEY("workspace_id","request_id","partner_id")
);
--> statement-breakpoint
CREATE TABLE "dsr_partners" (
	"workspace_id" bigint NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"domain" text NOT NULL,
	"url" text NOT NULL,
	"auth" text NOT NULL,
	"identity_types" text[] NOT NULL,
	"created_on" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_modified_on" timestamp (3) with time zone,
	"last_modified_by" text,
	CONSTRAINT "dsr_partners_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "dsr_forwards_by_attempt" ON "dsr_forwards" USING btree ("next_attempt_on") WHERE next_attempt_on IS NOT NULL;