import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FLEET } from '../../connectors/index.ts';
import { OTHER_FIELDS, PROXY_FIELDS, SIGN_INS } from '../../tools/sign-in-matrix.ts';
import { ROOT } from '../conformance/reports.ts';
import { fieldsOf } from '../vendor/read-variables.ts';

const connectors = Object.values(FLEET).flatMap((connector) => connector ?? []);
/** Returns the name of the connector: PostgreSQL and Redshift have one. */
const productOf = (product: string) => (product === 'PostgreSQL' ? 'Redshift' : product);

test.each(connectors.map((connector) => [connector.product, connector] as const))(
  'each field of %s belongs to a way to sign in, or to none: put a new one into tools/sign-in-matrix.ts',
  (product, connector) => {
    const ofWays = SIGN_INS.filter((way) => productOf(way.product) === product).flatMap(({ fields }) => fields);
    const others = OTHER_FIELDS[product] ?? [];
    expect([...new Set([...ofWays, ...others])].sort()).toEqual([...fieldsOf(connector)].sort());
    expect(ofWays.filter((field) => others.includes(field))).toEqual([]);
    const placed = [...ofWays, ...PROXY_FIELDS];
    expect(connector.secretFields.filter((field) => !placed.includes(field))).toEqual([]);
  },
);

test.each(SIGN_INS.map((way) => [way.product, way.way, way] as const))(
  '%s: %s is proven by tests that use its fields',
  (_product, _way, { fields, provenBy }) => {
    const files = Object.values(provenBy);
    expect(files).not.toEqual([]);
    for (const file of files) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      expect(fields.filter((field) => text.includes(field))).not.toEqual([]);
    }
  },
);
