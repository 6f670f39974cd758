import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Json, parseJson, rawNumber, stringifyJson, workspaceId } from '../../../src/kernel/index.ts';
import type { FieldMapping } from '../../../src/pipelines/transformations/field-transformation.ts';
import {
  fieldTransformationFromRow,
  mappingsForStore,
} from '../../../src/pipelines/transformations/load-field-transformation.ts';
import { readMappings } from '../../../src/pipelines/transformations/read-mappings.ts';
import { fieldTransformationAnswer } from '../../../src/pipelines/wire/field-transformation-answer.ts';

const name = fc.string({ minLength: 1 });
const single: fc.Arbitrary<Json> = fc.oneof(
  ...[
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0)),
  ],
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 10n ** 20n, max: 10n ** 30n }).map((digits) => rawNumber(`0.${digits}7`)),
);
const mapping: fc.Arbitrary<FieldMapping> = fc.oneof(
  fc.record({ type: fc.constant('column' as const), source: name, destination: name }),
  fc.record({ type: fc.constant('static' as const), value: fc.oneof(single, fc.array(single)), destination: name }),
  fc.record({ type: fc.constant('ignore' as const), source: name }),
);

it('what GET answers of a transformation can be PUT, whatever it holds', () => {
  const audit = { createdOn: new Date(0), createdBy: 'me', lastModifiedOn: null, lastModifiedBy: null };
  const row = { workspaceId: workspaceId(1n), id: 't', name: 'T', destinationType: 'events', ...audit };
  fc.assert(
    fc.property(fc.array(mapping), (mappings) => {
      const stored = mappingsForStore(mappings);
      const answer = stringifyJson(fieldTransformationAnswer(fieldTransformationFromRow({ ...row, mappings: stored })));
      const sent = parseJson(answer) as unknown as ReturnType<typeof fieldTransformationAnswer>;
      const issues: never[] = [];
      const read = readMappings(sent.mappings, issues);
      expect(issues).toEqual([]);
      expect(stringifyJson(read)).toBe(stored);
    }),
  );
});
