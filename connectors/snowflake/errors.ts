// Errors by class: Snowflake's own codes, SQLSTATE, the SDK's codes.
import { AppError, joined, say, template } from '../../src/kernel/index.ts';
import { classifier } from '../_shared/classifier.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { sentence } from '../_shared/sentence.ts';
import { type SocketFault, type SocketWords, socketFaultOf } from '../_shared/socket-errors.ts';
import { isSignInFailure } from './link/sign-in-failure.ts';
import { BROKEN_PART } from './parts.ts';
import { ACCOUNT, type Rule, SIGN_IN, SIGN_IN_RULES } from './sign-in-rules.ts';

const GRANT = 'If it exists, {config.role} needs USAGE on its database and schema, and SELECT on it.';
const USE_WAREHOUSE = '{config.role} needs GRANT USAGE ON WAREHOUSE for {config.warehouse}.';
const QUALIFY = 'Name tables with database and schema, or set {config.schema}.';
const QUOTA = 'A resource monitor has suspended the warehouse; raise its quota.';
const TIMEOUT = 'PENSTOCK_WAREHOUSE_TIMEOUT_S limits how long a statement may take.';

const SOCKET_WORDS: SocketWords = { certificate: { code: 'WAREHOUSE_UNREACHABLE', advice: ACCOUNT } };

/** Rules in order; the first match decides, so single codes come before their classes. */
export const RULES: readonly Rule[] = [
  ...SIGN_IN_RULES,
  // sessions that ended
  { code: '390104', is: 'WAREHOUSE_SESSION_LOST' },
  { code: '39011', is: 'WAREHOUSE_SESSION_LOST' },
  { code: '390195', is: 'WAREHOUSE_SESSION_LOST' },
  // a user or a token that was taken away since sign-in
  { code: '39', is: 'WAREHOUSE_CREDENTIALS', advice: SIGN_IN },
  // resources of a statement
  { code: '000606', is: 'WAREHOUSE_PERMISSION', advice: USE_WAREHOUSE },
  { code: '000607', is: 'WAREHOUSE_PERMISSION', advice: USE_WAREHOUSE },
  {
    code: '000608',
    is: 'WAREHOUSE_THROTTLED',
    advice: 'The warehouse is suspended and does not resume automatically; resume it or set AUTO_RESUME.',
  },
  { code: '000610', is: 'WAREHOUSE_THROTTLED' },
  { code: '090073', is: 'WAREHOUSE_THROTTLED', advice: QUOTA },
  { holds: 'has exceeded its quota', is: 'WAREHOUSE_THROTTLED', advice: QUOTA },
  // "Your account is suspended due to lack of payment method."
  {
    code: '000666',
    is: 'WAREHOUSE_PERMISSION',
    advice: 'The account is suspended until an administrator adds a payment method or ends its trial.',
  },
  {
    code: '090105',
    is: 'WAREHOUSE_PERMISSION',
    advice: '{config.role} needs GRANT USAGE ON DATABASE for {config.database}.',
  },
  { code: '090106', is: 'WAREHOUSE_SQL_INVALID', advice: QUALIFY },
  { code: '003001', is: 'WAREHOUSE_PERMISSION' },
  { code: '003', state: '42501', is: 'WAREHOUSE_PERMISSION' },
  // ends of a statement
  { code: '000604', is: 'WAREHOUSE_SESSION_LOST', advice: 'The statement was cancelled in Snowflake.' },
  { code: '000630', is: 'WAREHOUSE_TIMEOUT', advice: TIMEOUT },
  { code: '000625', is: 'WAREHOUSE_THROTTLED', advice: 'Another transaction did not release its lock in time.' },
  { code: '000629', is: 'WAREHOUSE_THROTTLED' },
  // missing objects
  { code: '002003', is: 'WAREHOUSE_OBJECT_MISSING', advice: GRANT },
  { code: '002043', is: 'WAREHOUSE_OBJECT_MISSING' },
  { code: '000904', is: 'WAREHOUSE_OBJECT_MISSING' },
  { code: '002037', is: 'WAREHOUSE_OBJECT_MISSING' },
  // values
  { code: '100', is: 'WAREHOUSE_DATA' },
  { state: '22', is: 'WAREHOUSE_DATA' },
  { state: '21', is: 'WAREHOUSE_DATA' },
  { state: '23', is: 'WAREHOUSE_DATA' },
  { state: 'P0', is: 'WAREHOUSE_DATA' },
  // statements
  { code: '001', is: 'WAREHOUSE_SQL_INVALID' },
  { code: '002', is: 'WAREHOUSE_SQL_INVALID' },
  { code: '0009', is: 'WAREHOUSE_SQL_INVALID' },
  { code: '000002', is: 'WAREHOUSE_SQL_INVALID' },
  { state: '42', is: 'WAREHOUSE_SQL_INVALID' },
  { state: '0A', is: 'WAREHOUSE_SQL_INVALID' },
  // Snowflake's internal errors
  { code: '3000', is: 'WAREHOUSE_SESSION_LOST' },
  { code: '3700', is: 'WAREHOUSE_SESSION_LOST' },
  { state: 'XX', is: 'WAREHOUSE_SESSION_LOST' },
  { state: '57P03', is: 'WAREHOUSE_THROTTLED' },
  // answers of another server
  { status: 403, code: '401002', is: 'WAREHOUSE_CONFIG', advice: `No account answers at this address. ${ACCOUNT}` },
  { status: 404, code: '401002', is: 'WAREHOUSE_CONFIG', advice: `No account answers at this address. ${ACCOUNT}` },
  { status: 429, is: 'WAREHOUSE_THROTTLED' },
  { status: 503, is: 'WAREHOUSE_THROTTLED' },
  { code: 'ERR_BAD_RESPONSE', is: 'WAREHOUSE_UNREACHABLE' },
  // the SDK's own errors
  { code: '401001', is: 'WAREHOUSE_UNREACHABLE' },
  { code: '401002', is: 'WAREHOUSE_UNREACHABLE' },
  { code: '401003', is: 'WAREHOUSE_UNREACHABLE' },
  { code: '401004', is: 'WAREHOUSE_SESSION_LOST' },
  { code: '402', is: 'WAREHOUSE_SESSION_LOST' },
  { code: '404', is: 'WAREHOUSE_CONFIG' },
  { code: '405', is: 'WAREHOUSE_SESSION_LOST' },
  { code: '407', is: 'WAREHOUSE_SESSION_LOST' },
  { code: BROKEN_PART, is: 'WAREHOUSE_SESSION_LOST' },
  // Snowflake answered, and refused the sign-in under a code that no rule knows
  { name: 'OperationFailedError', isSignIn: true, is: 'WAREHOUSE_CREDENTIALS', advice: SIGN_IN },
  // the SDK gives this state to nearly all of its own errors
  { state: '08', is: 'WAREHOUSE_UNREACHABLE' },
];

/** Returns the class of an error. Never throws; an error that no rule matches is WAREHOUSE_UNKNOWN with its cause. */
export const classify = classifier((error) => {
  const ours = oursIn(error);
  if (ours !== undefined) return ours;
  const found = partsOf(error);
  const fault = faultOf(found);
  const shown = [found.codes[0], found.state].filter((part) => part !== undefined && part !== '').join('/');
  const text = sentence(shown === '' || found.text.startsWith(shown) ? found.text : `${found.text} (${shown})`);
  const advice = fault?.advice === undefined ? undefined : template(fault.advice);
  const message = say`The warehouse: ${joined([text, advice])}`;
  return new AppError(fault?.code ?? 'WAREHOUSE_UNKNOWN', message, { cause: error });
});

/** Returns the fault of an error. A socket's own code decides before the SDK's error around it. */
function faultOf(found: Parts): SocketFault | undefined {
  for (const code of found.codes) {
    const fault = socketFaultOf(code, SOCKET_WORDS);
    if (fault !== undefined) return fault;
  }
  const rule = RULES.find((candidate) => fits(candidate, found));
  return rule && { code: rule.is, advice: rule.advice };
}

/** Returns our own refusal, which comes back inside the SDK's error. */
function oursIn(error: unknown): AppError | undefined {
  return chainOf(error).find((link) => link instanceof AppError);
}

const MOST_CAUSES = 6;

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && chain.length < MOST_CAUSES; ) {
    chain.push(link);
    link = fieldOf(link, 'cause');
  }
  return chain;
}

interface Parts {
  /** Codes, the most specific first: the socket's before the SDK's. */
  readonly codes: readonly string[];
  readonly state: string;
  readonly status: number | undefined;
  readonly text: string;
  /** Names of the SDK's errors. */
  readonly names: readonly string[];
  readonly isSignIn: boolean;
}

function partsOf(error: unknown): Parts {
  if (!(error instanceof Error))
    return { codes: [], state: '', status: undefined, text: String(error), names: [], isSignIn: false };
  const chain = chainOf(error).filter((link) => link instanceof Error);
  const codes = chain
    .map((link) => fieldOf(link, 'code'))
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .map(String);
  const status = chain
    .map((link) => fieldOf(link, 'response'))
    .map((response) => fieldOf(response, 'statusCode') ?? fieldOf(response, 'status'))
    .find((found) => found !== undefined);
  const isBroken = chain.some(({ message }) => message.startsWith(BROKEN_PART));
  const sqlState = chain.map((link) => fieldOf(link, 'sqlState')).find((found) => found !== undefined);
  return {
    codes: [...codes.reverse(), ...(isBroken ? [BROKEN_PART] : [])],
    state: typeof sqlState === 'string' && /^[0-9A-Z]{5}$/.test(sqlState) ? sqlState : '',
    status: typeof status === 'number' ? status : undefined,
    text: [...new Set(chain.map(({ message }) => message.trim()))].filter((text) => text !== '').join(': '),
    names: chain.map(({ name }) => name),
    isSignIn: chain.some(isSignInFailure),
  };
}

function fits({ code, state, status, holds, name, isSignIn = false }: Rule, found: Parts): boolean {
  return (
    (!isSignIn || found.isSignIn) &&
    (code === undefined || found.codes.some((candidate) => candidate.startsWith(code))) &&
    (state === undefined || found.state.startsWith(state)) &&
    (status === undefined || found.status === status) &&
    (name === undefined || found.names.includes(name)) &&
    (holds === undefined || found.text.toLowerCase().includes(holds))
  );
}
