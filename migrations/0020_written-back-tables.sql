CREATE TABLE "written_back_tables" (
	"workspace_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "written_back_tables_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"pipeline_number" bigint NOT NULL,
	"pipeline_id" text NOT NULL,
	"connection_id" text NOT NULL,
	"place" text NOT NULL,
	"table_name" text NOT NULL,
	"mpid" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"staged_by" bigint,
	CONSTRAINT "written_back_tables_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "written_back_tables_place" ON "written_back_tables" USING btree ("workspace_id","pipeline_number","connection_id","place","table_name");--> statement-breakpoint
-- where they wrote is known by their next run; a pipeline that is deleted has none
INSERT INTO "written_back_tables" ("workspace_id", "pipeline_number", "pipeline_id", "connection_id", "place", "table_name", "mpid", "since")
SELECT written."workspace_id", written."pipeline_number", pipeline."id", pipeline."connection_id", '', '', '', written."since"
FROM "written_back_pipelines" AS written
JOIN "pipelines" AS pipeline ON pipeline."workspace_id" = written."workspace_id" AND pipeline."number" = written."pipeline_number"
WHERE pipeline."deleted_on" IS NULL;--> statement-breakpoint
ALTER TABLE "erased_mpids" DROP CONSTRAINT "erased_mpids_pipeline_fk";--> statement-breakpoint
ALTER TABLE "erased_mpids" DROP CONSTRAINT "erased_mpids_workspace_id_pipeline_number_mpid_pk";--> statement-breakpoint
ALTER TABLE "erased_mpids" ADD COLUMN "table_id" bigint;--> statement-breakpoint
UPDATE "erased_mpids" AS erased SET "table_id" = written."id"
FROM "written_back_tables" AS written
WHERE written."workspace_id" = erased."workspace_id" AND written."pipeline_number" = erased."pipeline_number";--> statement-breakpoint
DELETE FROM "erased_mpids" WHERE "table_id" IS NULL;--> statement-breakpoint
ALTER TABLE "erased_mpids" ALTER COLUMN "table_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "erased_mpids" ADD CONSTRAINT "erased_mpids_workspace_id_table_id_mpid_pk" PRIMARY KEY("workspace_id","table_id","mpid");--> statement-breakpoint
ALTER TABLE "erased_mpids" ADD CONSTRAINT "erased_mpids_table_fk" FOREIGN KEY ("workspace_id","table_id") REFERENCES "public"."written_back_tables"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erased_mpids" DROP COLUMN "pipeline_number";--> statement-breakpoint
DROP TABLE "written_back_pipelines";
