DROP INDEX "group_candidates_in_order";--> statement-breakpoint
DROP INDEX "group_members_by_group";--> statement-breakpoint
ALTER TABLE "group_candidates" DROP CONSTRAINT "group_candidates_workspace_id_environment_mpid_pk";--> statement-breakpoint
ALTER TABLE "group_members" DROP CONSTRAINT "group_members_workspace_id_environment_mpid_pk";--> statement-breakpoint
ALTER TABLE "group_candidates" ADD CONSTRAINT "group_candidates_workspace_id_mpid_environment_pk" PRIMARY KEY("workspace_id","mpid","environment");--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_workspace_id_mpid_environment_pk" PRIMARY KEY("workspace_id","mpid","environment");--> statement-breakpoint
CREATE INDEX "group_candidates_in_order" ON "group_candidates" USING btree ("workspace_id","group_key","environment","joined_at","mpid");--> statement-breakpoint
CREATE INDEX "group_members_by_group" ON "group_members" USING btree ("workspace_id","group_key","environment");