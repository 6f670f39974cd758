export type { Job, Jobs, QueueOptions } from './contract.ts';
export { createJobs, type JobsOptions } from './create-jobs.ts';
export { openJobSender } from './open-job-sender.ts';
