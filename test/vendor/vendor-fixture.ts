// The fixture of a vendor's account: the facts of the local fixture, where the product itself has no others, on tables in the
// space of the run. Runs in the processes of the tests; `command.ts` created the space and hands it on.
import type { Fixture, Warehouse } from '../conformance/fixture.ts';
import type { Account } from './accounts/account.ts';
import { openAccount, vendorEnvironment } from './accounts/open-account.ts';
import { factsOfVendor } from './facts/facts-of-vendor.ts';
import { type Environment, readVariables } from './read-variables.ts';
import { VENDORS, type VendorName } from './vendors.ts';

/** Names of the variables by which the command tells the tests what they try. */
export const VENDOR = 'PENSTOCK_TEST_VENDOR';
export const SPACE = 'PENSTOCK_TEST_VENDOR_SPACE';

const NO_COUNT = 'the product does not tell a customer how many connections are open';
const NO_PROXY = 'nothing of ours stands between here and an account';

export function vendorFixture(environment: Environment = process.env): Fixture {
  const vendor = environment[VENDOR] as VendorName;
  const { connector, product, space } = VENDORS[vendor];
  const facts = factsOfVendor(vendor);
  const { through: _, portOf: __, server: ___, ...rest } = facts;
  const shared = shareAccount(() =>
    openAccount(vendor, ownConfig(vendor, environment), vendorEnvironment(environment)),
  );
  return {
    ...rest,
    connector: { ...connector, product },
    provenBy: 'vendor',
    provenElse: {},
    start: () => startIn(shared, ownConfig(vendor, environment), environment),
    ...(facts.writeBack && {
      writeBack: { ...facts.writeBack, leftovers: () => shared.use((account) => account.staging()) },
    }),
    waivers: {
      ...facts.waivers,
      'dropped socket': NO_PROXY,
      ...(space === 'database' ? {} : { 'counted connections': NO_COUNT }),
    },
  };
}

function ownConfig(vendor: VendorName, environment: Environment) {
  const read = readVariables(vendor, environment);
  if (!('config' in read)) throw new Error(`The variables of ${vendor} cannot be read; begin with npm run vendor.`);
  return { ...read.config, [VENDORS[vendor].spaceField]: environment[SPACE] };
}

interface SharedAccount {
  use<Result>(work: (account: Account) => Promise<Result>): Promise<Result>;
}

/** Signing in takes a second with some vendors, so the account is kept for the next test, and closed when none comes. */
const IDLE_MS = 2000;

function shareAccount(open: () => Promise<Account>): SharedAccount {
  let account: Promise<Account> | undefined;
  let idle: NodeJS.Timeout | undefined;
  const close = () => {
    const open = account;
    account = undefined;
    void open?.then((opened) => opened[Symbol.asyncDispose]());
  };
  return {
    async use(work) {
      clearTimeout(idle);
      account ??= open();
      try {
        return await work(await account);
      } finally {
        clearTimeout(idle);
        idle = setTimeout(close, IDLE_MS);
      }
    },
  };
}

async function startIn(
  shared: SharedAccount,
  config: Warehouse['config'],
  environment: Environment,
): Promise<Warehouse> {
  const made: string[] = [];
  return {
    config,
    environment: vendorEnvironment(environment),
    async seed(statements) {
      made.push(...statements.flatMap(dropOf));
      await shared.use((account) => account.run(statements));
    },
    connections: () => shared.use(async (account) => (await account.connections?.()) ?? 0),
    // the tests make the same tables again and again
    [Symbol.asyncDispose]: async () => {
      if (made.length > 0) await shared.use((account) => account.run(made.reverse()));
    },
  };
}

/** Returns the statement that undoes a CREATE; nothing for other statements. */
export function dropOf(statement: string): readonly string[] {
  const [, kind, name] = /^CREATE (TABLE|VIEW|COLLATION) ((?:"(?:""|[^"])+"|`[^`]+`|[^\s(])+)/.exec(statement) ?? [];
  return kind === undefined ? [] : [`DROP ${kind} IF EXISTS ${name}`];
}
