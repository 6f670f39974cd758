CREATE TABLE "creation_tickets" (
	"workspace_id" bigint NOT NULL,
	"id" uuid NOT NULL,
	CONSTRAINT "creation_tickets_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
