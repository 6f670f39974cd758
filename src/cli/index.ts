export { runCommandLine } from './program.ts';
