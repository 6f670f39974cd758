CREATE TABLE "dsr_callback_attempts" (
	"workspace_id" bigint NOT NULL,
	"callback_id" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"started_on" timestamp (3) with time zone NOT NULL,
	"ended_on" timestamp (3) with time zone,
	"status" integer,
	"error" text,
	CONSTRAINT "dsr_callback_attempts_workspace_id_callback_id_attempt_pk" PRIMARY KEY("workspace_id","callback_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "dsr_callbacks" (
	"workspace_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "dsr_callbacks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"request_id" uuid NOT NULL,
	"request_status" text NOT NULL,
	"receiver" text NOT NULL,
	"url" text,
	"snapshot" text,
	"body" text,
	"queued_on" timestamp (3) with time zone NOT NULL,
	"next_attempt_on" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"delivered_on" timestamp (3) with time zone,
	"gave_up_on" timestamp (3) with time zone,
	CONSTRAINT "dsr_callbacks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "dsr_certificates" (
	"fingerprint" text PRIMARY KEY NOT NULL,
	"domain" text NOT NULL,
	"generation" integer,
	"certificate" text NOT NULL,
	"private_key" text,
	"created_on" timestamp (3) with time zone NOT NULL,
	"expires_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dsr_certificates_by_generation" UNIQUE("domain","generation")
);
--> statement-breakpoint
ALTER TABLE "dsr_callback_attempts" ADD CONSTRAINT "dsr_callback_attempts_of_callback" FOREIGN KEY ("workspace_id","callback_id") REFERENCES "public"."dsr_callbacks"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dsr_callbacks_by_request" ON "dsr_callbacks" USING btree ("workspace_id","request_id");--> statement-breakpoint
CREATE INDEX "dsr_callbacks_by_attempt" ON "dsr_callbacks" USING btree ("next_attempt_on") WHERE next_attempt_on IS NOT NULL;--> statement-breakpoint
CREATE INDEX "dsr_callbacks_to_drop" ON "dsr_callbacks" USING btree ("gave_up_on") WHERE gave_up_on IS NOT NULL AND url IS NOT NULL;