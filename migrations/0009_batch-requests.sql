CREATE TABLE "batch_requests" (
	"workspace_id" bigint NOT NULL,
	"hash" uuid NOT NULL,
	"received_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "batch_requests_workspace_id_hash_pk" PRIMARY KEY("workspace_id","hash")
);
--> statement-breakpoint
CREATE TABLE "rejected_batches" (
	"workspace_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"received_on" timestamp (3) with time zone NOT NULL,
	"key" text NOT NULL,
	"path" text NOT NULL,
	"errors" text NOT NULL,
	"text" text,
	CONSTRAINT "rejected_batches_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "batch_requests_by_time" ON "batch_requests" USING btree ("workspace_id","received_on");--> statement-breakpoint
CREATE INDEX "rejected_batches_by_time" ON "rejected_batches" USING btree ("workspace_id","received_on");