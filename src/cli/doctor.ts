import { listWorkspaces } from '../access/index.ts';
import { connectorEnvironments, connectorFleet } from '../app.ts';
import type { Config } from '../config.ts';
import { workspaceId } from '../kernel/index.ts';
import { listConnections, probeStored } from '../sync/index.ts';
import type { CommandContext, Register } from './command.ts';
import { examine, type Finding } from './doctor/finding.ts';
import { examineMachine } from './doctor/machine.ts';
import { examineStore } from './doctor/store.ts';
import { EXIT } from './exit-codes.ts';
import { asOperator, type Operator } from './operator.ts';

const COLUMNS = ['check', 'status', 'found', 'mend'];
const WAREHOUSE_WAIT_MS = 15_000;
const HELP = `
Looks at folder, disk, keys, port, store, clock, schedule and every connection, and says how to mend what is wrong.
Exit code 0 when nothing failed, 1 otherwise.`;

export const registerDoctor: Register = (program, context) => {
  program
    .command('doctor')
    .description('check the installation and say how to mend what is wrong')
    .addHelpText('after', HELP)
    .action(() => doctor(context));
};

async function doctor(context: CommandContext): Promise<void> {
  const config = context.config();
  const findings: Finding[] = [...(await examineMachine(config))];
  const opened = await examine('store', async () => {
    await asOperator(context, async (operator) => {
      findings.push(
        ...(await examineStore(operator.store, operator.clock)),
        ...(await examineConnections(operator, config)),
      );
    });
    return { status: 'ok', found: '' };
  });
  if (opened.status === 'failed') findings.push(opened);
  context.output().rows(COLUMNS, findings);
  if (findings.some(({ status }) => status === 'failed')) context.setExitCode(EXIT.failed.code);
}

async function examineConnections(operator: Operator, config: Config): Promise<readonly Finding[]> {
  const deps = {
    ...operator,
    fleet: connectorFleet,
    connectorEnvironment: connectorEnvironments(config),
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
          const mend = 'PUT the connection with what is wrong put right; the PUT clears its fault.';
          return { status: 'failed', found: fault.map(({ message }) => message).join(' '), mend };
        }),
      );
    }
  }
  return findings;
}
