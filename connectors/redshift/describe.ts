import { AppError } from '../../src/kernel/index.ts';
import type { Column, Statement } from '../../src/warehouse/index.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { lookUpShapes } from './catalog.ts';
import type { Link } from './link/link.ts';
import type { Answer } from './link/wire-query.ts';
import { type BoundSql, bindSql, inlineSql } from './render.ts';
import { declareSql } from './statements.ts';
import { columnOf, type Shape } from './types.ts';

export interface Described {
  /** Statement in the form that this server takes. */
  readonly sql: BoundSql;
  readonly columns: readonly Column[];
  readonly shapes: readonly Shape[];
}

/**
 * Describes the columns by Parse and Describe.
 * Nothing runs. Throws SQL_REFUSED for anything but one SELECT, even where the gate let it pass.
 */
export async function describe(link: Link, statement: Statement): Promise<Described> {
  const sql = renderFor(link, statement);
  const { fields } = await parse(link, sql);
  if (fields === undefined) throw notSelect();
  const shapeOf = await lookUpShapes(link.product === 'PostgreSQL' ? link.run : async () => [], fields.map(typeOf));
  const shapes = fields.map((field) => shapeOf(typeOf(field)));
  const columns = fields.map(({ name, dataTypeModifier }, index) =>
    columnOf(name, shapes[index] ?? { type: 'unknown', nativeType: '' }, dataTypeModifier),
  );
  return { sql, columns, shapes };
}

function typeOf({ dataTypeID }: { readonly dataTypeID: number }): number {
  return dataTypeID;
}

export function renderFor({ product }: Pick<Link, 'product'>, statement: Statement): BoundSql {
  return product === 'PostgreSQL' ? bindSql(statement) : { text: inlineSql(statement), values: [] };
}

/**
 * Parses first the text alone, whose errors are the customer's, and then the text as a declaration, which only a SELECT can be.
 */
async function parse(link: Link, { text, values }: BoundSql): Promise<Answer> {
  let wants = 0;
  const answer = await link.messages({
    send: (wire) => {
      wire.parse({ text });
      wire.describe({ type: 'S', name: '' });
    },
    onParameters: (count) => {
      wants = count;
    },
  });
  if (wants !== values.length) throw strayParameter();
  if (answer.fields !== undefined && link.product === 'PostgreSQL') {
    await link.messages({ send: (wire) => wire.parse({ text: declareSql(text) }) }).catch((failure: unknown) => {
      throw isAboutSyntax(failure) ? notSelect(failure) : failure;
    });
  }
  return answer;
}

/** Tells whether a failure is about syntax: syntax error, access rule violation, or unsupported feature. */
function isAboutSyntax(failure: unknown): boolean {
  return /^(42|0A)/.test(String(fieldOf(failure, 'code')));
}

function notSelect(cause?: unknown): AppError {
  return new AppError('SQL_REFUSED', 'The warehouse does not accept this as a single SELECT that only reads.', {
    cause,
  });
}

function strayParameter(): AppError {
  const message = 'The SQL contains parameters such as $1, which have no values; write the values instead.';
  return new AppError('WAREHOUSE_SQL_INVALID', message);
}
