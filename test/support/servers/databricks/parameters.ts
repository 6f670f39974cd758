// Parameters of a statement, which Spark's own server does not know, as EXECUTE IMMEDIATE … USING.
import type { TSparkParameter } from '@databricks/sql/thrift/TCLIService_types.js';

const SUFFIX: Readonly<Record<string, string>> = {
  TINYINT: 'Y',
  SMALLINT: 'S',
  INTEGER: '',
  BIGINT: 'L',
  FLOAT: 'F',
  DOUBLE: 'D',
  DECIMAL: 'BD',
};
const MOMENTS = ['DATE', 'TIMESTAMP', 'TIMESTAMP_NTZ', 'TIMESTAMP_LTZ'];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Throws where a number is none. */
export function bindParameters(sql: string, parameters: readonly TSparkParameter[] = []): string {
  if (parameters.length === 0) return sql;
  const values = parameters.map((parameter) => `${literal(parameter)}${parameter.name ? ` AS ${parameter.name}` : ''}`);
  return `EXECUTE IMMEDIATE ${quote(sql)} USING ${values.join(', ')}`;
}

function literal({ type = 'STRING', value }: TSparkParameter): string {
  const text = value?.stringValue;
  if (text === undefined || text === null || type === 'VOID') return 'NULL';
  const base = type.replace(/\(.*/, '');
  const suffix = SUFFIX[base];
  if (suffix !== undefined) {
    if (!NUMBER.test(text)) throw new Error(`[INVALID_PARAMETER] ${type} ${text}`);
    return text.replace(/^\+/, '') + suffix;
  }
  if (base === 'BOOLEAN') return /^true$/i.test(text) ? 'TRUE' : 'FALSE';
  if (MOMENTS.includes(base)) return `${base}${quote(text)}`;
  if (base.startsWith('INTERVAL')) return `INTERVAL ${quote(text)} ${base.slice(9)}`;
  return quote(text);
}

function quote(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}
