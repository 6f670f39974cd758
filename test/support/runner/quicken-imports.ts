// For `node --import`: workers of tests find modules as quickly as the program does.
import { quickenImports } from '../../../src/quick-imports.ts';

quickenImports();
