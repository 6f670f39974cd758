CREATE TABLE "dsr_result_files" (
	"workspace_id" bigint NOT NULL,
	"request_id" uuid NOT NULL,
	"file_id" bigint NOT NULL,
	"state" text NOT NULL,
	"mpids" bigint[] NOT NULL,
	"started_on" timestamp (3) with time zone NOT NULL,
	"parts" integer,
	"size_bytes" bigint,
	"expires_on" timestamp (3) with time zone,
	CONSTRAINT "dsr_result_files_workspace_id_request_id_file_id_pk" PRIMARY KEY("workspace_id","request_id","file_id")
);
--> statement-breakpoint
CREATE TABLE "dsr_result_parts" (
	"workspace_id" bigint NOT NULL,
	"file_id" bigint NOT NULL,
	"part" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "dsr_result_parts_workspace_id_file_id_part_pk" PRIMARY KEY("workspace_id","file_id","part")
);
--> statement-breakpoint
CREATE INDEX "dsr_result_files_kept" ON "dsr_result_files" USING btree ("workspace_id") WHERE state <> 'dropped';--> statement-breakpoint
-- a zip cannot be made smaller
ALTER TABLE "dsr_result_parts" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
