// The APIs of AWS that give credentials, as their references document them: Redshift and STS speak the Query protocol with XML
// answers, Redshift Serverless speaks JSON 1.1. The SDK is the customer's own, unmodified.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as it came in. */
export interface AwsCall {
  readonly service: string;
  readonly region: string;
  readonly accessKey: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface AwsFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface AwsApi extends AsyncDisposable {
  readonly endpoint: string;
  readonly calls: readonly AwsCall[];
  /** Returns the password of the database that the last call gave. */
  password(): string;
}

/** Opens the APIs. Each call gets another password; `fails` answers an action with an error. */
export async function openAwsApi(fails: Readonly<Record<string, AwsFailure>> = {}): Promise<AwsApi> {
  const calls: AwsCall[] = [];
  const password = () => `temporary-${calls.length}`;
  const server = createServer((request, response) => {
    void bodyOf(request).then((received) => {
      const call = callOf(request, received);
      calls.push(call);
      const { status, type, body } = answerTo(call, password(), fails[call.action]);
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    calls,
    password,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  return body;
}

const CREDENTIAL = /Credential=(?<accessKey>\w+)\/\d{8}\/(?<region>[a-z0-9-]+)\/(?<service>[a-z-]+)\/aws4_request/;

function callOf({ headers }: IncomingMessage, body: string): AwsCall {
  const { accessKey = '', region = '', service = '' } = CREDENTIAL.exec(headers.authorization ?? '')?.groups ?? {};
  const target = String(headers['x-amz-target'] ?? '');
  const parameters =
    target === '' ? Object.fromEntries(new URLSearchParams(body)) : (JSON.parse(body) as AwsCall['parameters']);
  const action = target === '' ? String(parameters.Action) : (target.split('.')[1] ?? '');
  return { service, region, accessKey, action, parameters };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function answerTo({ action, parameters }: AwsCall, password: string, failure: AwsFailure | undefined): Answer {
  const isJson = action === 'GetCredentials';
  if (failure !== undefined) return isJson ? jsonError(failure) : xmlError(failure);
  const expiration = '2030-01-01T00:15:00.000Z';
  switch (action) {
    case 'GetCredentials':
      return json(200, { dbUser: 'IAM:alice', dbPassword: password, expiration: 1_893_456_900 });
    case 'GetClusterCredentials':
      return xml(
        action,
        `<DbUser>IAM:${String(parameters.DbUser)}</DbUser><DbPassword>${password}</DbPassword><Expiration>${expiration}</Expiration>`,
      );
    case 'GetClusterCredentialsWithIAM':
      return xml(
        action,
        `<DbUser>IAM:alice</DbUser><DbPassword>${password}</DbPassword><Expiration>${expiration}</Expiration>`,
      );
    case 'AssumeRole':
      return xml(
        action,
        `<Credentials><AccessKeyId>ASIAROLEROLEROLEROLE</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey>
        <SessionToken>role-token</SessionToken><Expiration>${expiration}</Expiration></Credentials>`,
      );
    default:
      return xmlError({ status: 400, code: 'InvalidAction', message: `Could not find operation ${action}` });
  }
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/x-amz-json-1.1', body: JSON.stringify(body) };
}

function jsonError({ status, code, message }: AwsFailure): Answer {
  return json(status, { __type: code, message });
}

function xml(action: string, result: string): Answer {
  const body = `<${action}Response><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`;
  return { status: 200, type: 'text/xml', body };
}

function xmlError({ status, code, message }: AwsFailure): Answer {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, type: 'text/xml', body: `<ErrorResponse>${error}<RequestId>1</RequestId></ErrorResponse>` };
}
