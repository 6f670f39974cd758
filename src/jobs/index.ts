export type { Job, Jobs } from './contract.ts';
export { createJobs } from './create-jobs.ts';
export { openJobSender } from './open-job-sender.ts';
