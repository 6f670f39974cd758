export { runCommandLine, type Surroundings } from './program.ts';
