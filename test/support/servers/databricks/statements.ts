// Changes that the gateway makes to the calls between the driver and Spark, and nothing else:
//   OpenSession           the driver writes client_protocol -7, which Hive's Java refuses; answers as SPARK V8
//   ExecuteStatement      parameters become EXECUTE IMMEDIATE … USING; fills directResults
//   GetResultSetMetadata  adds resultFormat and arrowSchema; column positions from 1, not 0
//   GetOperationStatus    fills displayMessage from Spark's errorMessage, without the Java noise
//   FetchResults          columns become Arrow record batches
import type {
  TExecuteStatementReq,
  TExecuteStatementResp,
  TFetchResultsReq,
  TFetchResultsResp,
  TGetOperationStatusResp,
  TGetResultSetMetadataResp,
  TOpenSessionReq,
  TOpenSessionResp,
  TOperationHandle,
  TSparkDirectResults,
} from '@databricks/sql/thrift/TCLIService_types.js';
import { type ArrowSchema, arrowBatch, arrowSchema, rowsOf } from './arrow-columns.ts';
import { bindParameters } from './parameters.ts';
import { type Int64, makeInt64, T, type Upstream } from './thrift.ts';

/** Databricks' own limit. */
const MOST_PARAMETERS = 255;
/** Settings of the driver → Spark's; an empty one is left out. */
const SETTINGS: Readonly<Record<string, string>> = {
  TIMEZONE: 'spark.sql.session.timeZone',
  ANSI_MODE: 'spark.sql.ansi.enabled',
  STATEMENT_TIMEOUT: '',
};

/** Schemas of open operations, by their guid. */
export type OpenOperations = Map<string, ArrowSchema>;

export interface Site {
  readonly upstream: Upstream;
  readonly operations: OpenOperations;
  /** A cluster does not know the settings of Databricks SQL, and refuses what carries one. */
  readonly isCluster: boolean;
}

export async function openSession({ upstream, isCluster }: Site, call: TOpenSessionReq): Promise<TOpenSessionResp> {
  if (isCluster && call.configuration?.STATEMENT_TIMEOUT !== undefined) {
    const serverProtocolVersion = T.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V8;
    return new T.TOpenSessionResp({ status: unknownSetting('STATEMENT_TIMEOUT'), serverProtocolVersion });
  }
  const configuration: Record<string, string> = {};
  for (const [name, value] of Object.entries(call.configuration ?? {})) {
    const key = SETTINGS[name.toUpperCase()] ?? name;
    if (key !== '') configuration[key] = value;
  }
  const schema = call.initialNamespace?.schemaName;
  if (schema) configuration['use:database'] = schema;
  const client_protocol = T.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V10;
  const answer = await upstream.ask(
    'OpenSession',
    new T.TOpenSessionReq({ client_protocol, configuration } as never),
    T.TOpenSessionResp,
  );
  answer.serverProtocolVersion = T.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V8;
  return answer;
}

export async function executeStatement(site: Site, call: TExecuteStatementReq): Promise<TExecuteStatementResp> {
  if (site.isCluster && call.confOverlay?.query_tags !== undefined) {
    return new T.TExecuteStatementResp({ status: unknownSetting('query_tags') });
  }
  const count = call.parameters?.length ?? 0;
  if (count > MOST_PARAMETERS) {
    return refusal(`[QUERY_PARAMETER_LIMIT] ${count} parameters, at most ${MOST_PARAMETERS}`, '54000');
  }
  let statement: string;
  try {
    statement = bindParameters(call.statement, call.parameters);
  } catch (error) {
    return refusal((error as Error).message, '22018');
  }
  const { sessionHandle, queryTimeout } = call;
  const request = new T.TExecuteStatementReq({ sessionHandle, statement, runAsync: true, queryTimeout } as never);
  const answer = await site.upstream.ask('ExecuteStatement', request, T.TExecuteStatementResp);
  // the protocol reads what was left out as null
  if (call.getDirectResults != null && answer.operationHandle) {
    const maxRows = call.getDirectResults.maxRows as unknown as Int64;
    answer.directResults = await directResults(site, answer.operationHandle, maxRows);
  }
  return answer;
}

function refusal(errorMessage: string, sqlState: string): TExecuteStatementResp {
  return new T.TExecuteStatementResp({ status: errorStatus(errorMessage, sqlState) });
}

/** Gives the status that https://github.com/rilldata/rill/pull/9852 reports. */
function unknownSetting(name: string) {
  return errorStatus(
    `[CONFIG_NOT_AVAILABLE.WITHOUT_SUGGESTION] Configuration ${name} is not available. SQLSTATE: 42K0I`,
    '42K0I',
  );
}

function errorStatus(errorMessage: string, sqlState: string) {
  return new T.TStatus({ statusCode: T.TStatusCode.ERROR_STATUS, errorMessage, sqlState });
}

async function directResults(
  site: Site,
  operationHandle: TOperationHandle,
  maxRows: Int64,
): Promise<TSparkDirectResults> {
  const { upstream } = site;
  const ask = new T.TGetOperationStatusReq({ operationHandle });
  const operationStatus = tellStatus(await upstream.ask('GetOperationStatus', ask, T.TGetOperationStatusResp));
  const results = new T.TSparkDirectResults({ operationStatus });
  const isFinished = operationStatus.operationState === T.TOperationState.FINISHED_STATE;
  if (!isFinished || !(operationStatus.hasResultSet ?? operationHandle.hasResultSet)) return results;
  const metadata = await describe(site, operationHandle);
  // such as a VARIANT column: the driver is to ask and see the error
  if (metadata.status.statusCode > T.TStatusCode.SUCCESS_WITH_INFO_STATUS) return results;
  results.resultSetMetadata = metadata;
  const orientation = T.TFetchOrientation.FETCH_FIRST;
  const request = new T.TFetchResultsReq({ operationHandle, orientation, maxRows, fetchType: 0 } as never);
  const rows = await upstream.ask('FetchResults', request, T.TFetchResultsResp);
  const isAll = rowsOf(rows.results?.columns) < maxRows.toNumber(true);
  results.resultSet = toArrow(site, operationHandle, rows);
  results.resultSet.hasMoreRows = !isAll;
  if (isAll) {
    const close = new T.TCloseOperationReq({ operationHandle });
    results.closeOperation = await upstream.ask('CloseOperation', close, T.TCloseOperationResp);
    site.operations.delete(guidOf(operationHandle));
  }
  return results;
}

export async function describe(site: Site, operationHandle: TOperationHandle): Promise<TGetResultSetMetadataResp> {
  const ask = new T.TGetResultSetMetadataReq({ operationHandle });
  const answer = await site.upstream.ask('GetResultSetMetadata', ask, T.TGetResultSetMetadataResp);
  // Spark counts from 0, Databricks and the driver from 1
  for (const [index, column] of (answer.schema?.columns ?? []).entries()) column.position = index + 1;
  answer.resultFormat = T.TSparkRowSetType.ARROW_BASED_SET;
  if (answer.schema) {
    const known = arrowSchema(answer.schema.columns);
    site.operations.set(guidOf(operationHandle), known);
    answer.arrowSchema = known.bytes;
  }
  return answer;
}

export async function fetchResults(site: Site, call: TFetchResultsReq): Promise<TFetchResultsResp> {
  const rows = await site.upstream.ask('FetchResults', call, T.TFetchResultsResp);
  return toArrow(site, call.operationHandle, rows);
}

function toArrow({ operations }: Site, handle: TOperationHandle, answer: TFetchResultsResp): TFetchResultsResp {
  const known = operations.get(guidOf(handle));
  const columns = answer.results?.columns;
  if (known === undefined || !columns) return answer;
  const rows = rowsOf(columns);
  const results = new T.TRowSet({
    startRowOffset: answer.results?.startRowOffset,
    rows: [],
    arrowBatches: [],
  } as never);
  if (rows > 0) {
    const batch = arrowBatch(known, columns, rows);
    results.arrowBatches?.push(new T.TSparkArrowBatch({ batch, rowCount: makeInt64(rows) } as never));
  }
  answer.results = results;
  // the driver looks at columns to decide; Spark itself always answers false
  answer.hasMoreRows = rows > 0;
  return answer;
}

/** Databricks puts the bare message into displayMessage, which the driver throws; Spark wraps it in Java noise. */
export function tellStatus(status: TGetOperationStatusResp): TGetOperationStatusResp {
  const found = /(\[[A-Z][A-Z0-9_.]+\](?![^\n]*Exception: ?\n?\[)[\s\S]*?)(?=\n\tat |$)/.exec(
    status.errorMessage ?? '',
  );
  const message = found?.[1]?.replace(/^\[[\w.]+\] [\w.$]+(?:Exception|Error): ?\n?(?=\[)/, '').trim();
  if (message !== undefined) status.displayMessage ??= message;
  return status;
}

export function guidOf({ operationId }: TOperationHandle): string {
  return operationId.guid.toString('hex');
}
