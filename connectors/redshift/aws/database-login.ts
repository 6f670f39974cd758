// User and password of a new connection to the database. Those of AWS last for minutes, so each connection asks for its own.
import { AppError, template } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import type { RedshiftConfig } from '../config.ts';
import { accessKeyOf, clientConfig, secretsOf } from './access-key.ts';
import { nameAwsFailure } from './aws-errors.ts';
import type { Aws } from './aws-sdk.ts';
import { signsInByIam } from './fields.ts';
import { type Place, placeOf } from './place.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

export type LoginSource = (signal: AbortSignal) => Promise<Login>;

export interface LoginDeps {
  readonly config: RedshiftConfig;
  readonly environment: ConnectorEnvironment;
  readonly loadAws: () => Promise<Aws>;
}

interface Calling extends LoginDeps {
  readonly aws: Aws;
  readonly place: Place;
  readonly region: string;
  readonly signal: AbortSignal;
}

export function loginSource(deps: LoginDeps): LoginSource {
  const { config } = deps;
  const { user, password } = config;
  if (!signsInByIam(config)) {
    return async () => {
      if (user !== undefined && password !== undefined) return { user, password };
      throw new AppError('WAREHOUSE_CONFIG', template('{config.user} or {config.password} is missing; give both.'));
    };
  }
  return async (signal) => {
    const place = placeOf(config);
    const calling = { ...deps, place, region: place.region, aws: await deps.loadAws(), signal };
    try {
      return await askForLogin(calling);
    } catch (failure) {
      signal.throwIfAborted();
      throw nameAwsFailure(failure, secretsOf(config));
    }
  };
}

async function askForLogin(calling: Calling): Promise<Login> {
  const { aws, place, config, signal } = calling;
  const { database, user } = config;
  const key = await accessKeyOf(calling);
  if (place.kind === 'serverless') {
    const client = new aws.serverless.RedshiftServerlessClient(await clientConfig(calling, 'redshift-serverless', key));
    const asked = new aws.serverless.GetCredentialsCommand({ workgroupName: place.workgroup, dbName: database });
    const { dbUser, dbPassword } = await client.send(asked, { abortSignal: signal }).finally(() => client.destroy());
    return loginOf(dbUser, dbPassword);
  }
  const client = new aws.redshift.RedshiftClient(await clientConfig(calling, 'redshift', key));
  const common = { ClusterIdentifier: place.cluster, DbName: database };
  const answer =
    user === undefined
      ? client.send(new aws.redshift.GetClusterCredentialsWithIAMCommand(common), { abortSignal: signal })
      : client.send(new aws.redshift.GetClusterCredentialsCommand({ ...common, DbUser: user, AutoCreate: false }), {
          abortSignal: signal,
        });
  const { DbUser, DbPassword } = await answer.finally(() => client.destroy());
  return loginOf(DbUser, DbPassword);
}

function loginOf(user: string | undefined, password: string | undefined): Login {
  if (user !== undefined && password !== undefined) return { user, password };
  throw new AppError('WAREHOUSE_UNKNOWN', 'AWS gave no user or no password of the database.');
}
