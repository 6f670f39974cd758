CREATE TABLE "tombstones" (
	"workspace_id" bigint NOT NULL,
	"key" uuid NOT NULL,
	"erased_on" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tombstones_workspace_id_key_pk" PRIMARY KEY("workspace_id","key")
);
--> statement-breakpoint
ALTER TABLE "creation_locks" ADD COLUMN "has_tombstones" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "profiles_source" ON "profiles" USING btree ("workspace_id","source_mpid") WHERE source_mpid IS NOT NULL;