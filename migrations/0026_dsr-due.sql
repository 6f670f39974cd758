DROP INDEX "dsr_requests_by_attempt";--> statement-breakpoint
CREATE INDEX "dsr_requests_to_start" ON "dsr_requests" USING btree ("type","next_attempt_on") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "dsr_requests_to_go_on" ON "dsr_requests" USING btree ("next_attempt_on") WHERE status = 'in_progress';