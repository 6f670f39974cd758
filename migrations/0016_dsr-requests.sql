CREATE TABLE "dsr_requests" (
	"workspace_id" bigint NOT NULL,
	"id" uuid NOT NULL,
	"version" smallint NOT NULL,
	"type" text NOT NULL,
	"regulation" text,
	"group_id" text,
	"status" text NOT NULL,
	"skip_waiting_period" boolean NOT NULL,
	"created_by" text NOT NULL,
	"submitted_on" timestamp (3) with time zone NOT NULL,
	"received_on" timestamp (3) with time zone NOT NULL,
	"starts_on" timestamp (3) with time zone NOT NULL,
	"started_on" timestamp (3) with time zone,
	"completed_on" timestamp (3) with time zone,
	"cancelled_on" timestamp (3) with time zone,
	"expected_completion_on" timestamp (3) with time zone,
	"callback_urls" text[],
	"match_hash" uuid NOT NULL,
	"subject_keys" uuid[] NOT NULL,
	"subject" text,
	"encoded_request" text,
	"erased_keys" uuid[],
	"counts" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_on" timestamp (3) with time zone,
	"last_error" text,
	"result_parts" integer,
	"results_expire_on" timestamp (3) with time zone,
	CONSTRAINT "dsr_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "dsr_requests_by_match" ON "dsr_requests" USING btree ("workspace_id","match_hash") WHERE status IN ('pending', 'in_progress');--> statement-breakpoint
CREATE INDEX "dsr_requests_by_group" ON "dsr_requests" USING btree ("workspace_id","group_id");--> statement-breakpoint
CREATE INDEX "dsr_requests_by_time" ON "dsr_requests" USING btree ("workspace_id","received_on");--> statement-breakpoint
CREATE INDEX "dsr_requests_by_attempt" ON "dsr_requests" USING btree ("next_attempt_on") WHERE next_attempt_on IS NOT NULL;