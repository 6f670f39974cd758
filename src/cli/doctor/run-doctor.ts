import { PROVIDER_FACTS } from '../../../connectors/facts.ts';
import { listWorkspaces } from '../../access/index.ts';
import { connectorEnvironments, connectorFleet } from '../../app.ts';
import type { Config } from '../../config.ts';
import { workspaceId } from '../../kernel/index.ts';
import { listConnections, probeStored } from '../../pipelines/index.ts';
import type { CommandContext } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { asOperator, hasHome, type Operator } from '../operator.ts';
import { examine, type Finding } from './finding.ts';
import { examineMachine } from './machine.ts';
import { examinePipelines } from './pipelines.ts';
import { examineStore } from './store.ts';

const COLUMNS = ['check', 'status', 'found', 'fix'];
const WAREHOUSE_WAIT_MS = 15_000;

/** Runs all checks and shows their findings. Sets the exit code to failure where a check failed. */
export async function runDoctor(context: CommandContext): Promise<void> {
  const config = context.config();
  const findings = [...(await examineMachine(config)), ...(await examineInside(context, config))];
  context.output().rows(COLUMNS, findings);
  if (findings.some(({ status }) => status === 'failed')) context.setExitCode(EXIT.failed.code);
}

/** Runs the checks that need an open store. Creates no home where none exists. */
async function examineInside(context: CommandContext, config: Config): Promise<readonly Finding[]> {
  if (!(await hasHome(config))) return [{ check: 'store', status: 'ok', found: 'created at the first start' }];
  const findings: Finding[] = [];
  const opened = await examine(
    'store',
    async () => {
      await asOperator(context, async (operator) => {
        findings.push(...(await examineStore(operator.store, operator.clock)));
        findings.push(...(await examinePipelines(operator.store)));
        findings.push(...(await examineConnections(operator, config)));
      });
      return { status: 'ok', found: '' };
    },
    storeRemedy(config),
  );
  return opened.status === 'failed' ? [...findings, opened] : findings;
}

function storeRemedy({ home, store }: Config): string {
  if (store.databaseUrl !== undefined) return 'Start the PostgreSQL that DATABASE_URL names, or correct DATABASE_URL.';
  return `Follow the message; the log of the server is ${home}/store.log.`;
}

async function examineConnections(operator: Operator, config: Config): Promise<readonly Finding[]> {
  const deps = {
    ...operator,
    fleet: connectorFleet,
    ceilings: config.ceilings,
    connectorEnvironment: connectorEnvironments(config, operator.store),
    warehouseWaitMs: WAREHOUSE_WAIT_MS,
  };
  const findings: Finding[] = [];
  for (const { id } of await listWorkspaces(operator.store)) {
    for (const connection of await listConnections(operator.store, workspaceId(id))) {
      findings.push(
        await examine(`connection ${id}/${connection.id}`, async () => {
          const { fault, stages } = await probeStored(deps, connection);
          const passed = stages.filter(({ status }) => status === 'passed').map(({ name }) => name);
          if (fault === null) return { status: 'ok', found: `passed: ${passed.join(', ')}` };
          const { folder } = deps.connectorEnvironment(workspaceId(id));
          const files = PROVIDER_FACTS[connection.provider].isEmbedded ? ` Its files are in ${folder}.` : '';
          const fix = `Fix what the message names, then PUT the connection to clear its fault.${files}`;
          return { status: 'failed', found: fault.map(({ message }) => message).join(' '), fix };
        }),
      );
    }
  }
  return findings;
}
