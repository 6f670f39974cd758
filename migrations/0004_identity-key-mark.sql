CREATE TABLE "identity_key_mark" (
	"id" smallint PRIMARY KEY NOT NULL,
	"fingerprint" text NOT NULL
);
