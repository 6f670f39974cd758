// Set-up of the table that gets its MPIDs back. A file has no roles, users or grants, and temporary data are in TEMP tables, so
// only the column remains.
import { given, PLAIN_NAME, type SetUp } from '../../src/warehouse/index.ts';
import { dialect } from './dialect.ts';

export const setUp: SetUp = {
  inputs: { schema: { ...PLAIN_NAME, isOptional: true }, table: PLAIN_NAME },
  write: (values) => {
    const target = [values.schema ?? 'main', given(values, 'table')].map(dialect.quoteIdentifier).join('.');
    return {
      before: ['Run the statement in the file while no other program has it open.'],
      statements: [
        {
          purpose: 'The column that the resolved ids are written to',
          sql: `ALTER TABLE ${target} ADD COLUMN IF NOT EXISTS "mpid" BIGINT`,
        },
      ],
      keep: [
        { what: 'the name of the file, in the folder of the workspace', where: 'config.database' },
        { what: 'false', where: 'config.read_only' },
      ],
    };
  },
};
