// The fleet is read from connectors/index.ts: a connector without a fixture does not compile, one that is missing is named.
import { describe, test } from 'vitest';
import { PROVIDERS, type Provider } from '../../connectors/facts.ts';
import { FLEET } from '../../connectors/index.ts';
import { onServer } from '../support/warehouses/on-server.ts';
import { vendorFixture } from '../vendor/vendor-fixture.ts';
import type { Fixture, Waivable } from './fixture.ts';
import { bigqueryFixture } from './fixtures/bigquery.ts';
import { databricksFixture } from './fixtures/databricks.ts';
import { duckdbFixture } from './fixtures/duckdb.ts';
import { redshiftFixture } from './fixtures/redshift.ts';
import { snowflakeFixture } from './fixtures/snowflake.ts';

const FIXTURES: Readonly<Record<Provider, Fixture | undefined>> = {
  Alpha: snowflakeFixture,
  Beta: bigqueryFixture,
  Gamma: redshiftFixture,
  Delta: databricksFixture,
  DuckDB: duckdbFixture,
};

/** The part of the fleet that this vitest project has: those that bring what they need, those on local servers, or an account. */
const PART = process.env.PENSTOCK_TEST_FLEET;

/** Fails where a connector of this build has no fixture. */
export const fleet: readonly Fixture[] = PART === 'vendor' ? [vendorFixture()] : localFleet();

function localFleet(): readonly Fixture[] {
  return PROVIDERS.filter((provider) => FLEET[provider] !== undefined).map((provider) => {
    const fixture = FIXTURES[provider];
    if (fixture === undefined) throw new Error(`${provider} is in the fleet but has no fixture in test/conformance.`);
    return fixture;
  });
}

export function fixtureOf(product: string): Fixture {
  const fixture = fleet.find(({ connector }) => connector.product === product);
  if (fixture === undefined) throw new Error(`No fixture for ${product}.`);
  return fixture;
}

const isOnServers = PART === 'servers';

/** A sentence of the contract, for every connector of this project's half of the fleet. */
export function sentence(text: string, tests: (fixture: Fixture) => void): void {
  for (const fixture of fleet) {
    const title = `${fixture.connector.product}: ${text}`;
    if (isOnServers && fixture.server !== undefined) onServer(fixture.server, title, () => tests(fixture));
    if (!isOnServers && fixture.server === undefined) describe(title, () => tests(fixture));
  }
  // not run: no connector of this build needs a server
  if (isOnServers && fleet.every(({ server }) => server === undefined)) test.skip(text);
}

/** A part that a product may not be able to show: then the report names the reason. */
export function testUnlessWaived(fixture: Fixture, part: Waivable, { text, run }: WaivableTest): void {
  const reason = fixture.waivers[part];
  if (reason === undefined) test(text, run);
  // waived: the reason stands in the name of the test
  else test.skip(`${text} (waived: ${reason})`, run);
}

interface WaivableTest {
  readonly text: string;
  readonly run: () => Promise<void>;
}
