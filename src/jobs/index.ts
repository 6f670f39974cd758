export type { Job, Jobs, QueueOptions } from './contract.ts';
