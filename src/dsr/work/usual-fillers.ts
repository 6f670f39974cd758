const WORDS = new Set(
  [
    'unknown',
    'n/a',
    'na',
    'null',
    'none',
    'nil',
    'undefined',
    'nan',
    'test',
    'guest',
    'anonymous',
    'default',
    'no',
    'x',
    '-',
  ].flatMap((word) => [word, `(${word})`]),
);
const USUAL_NAMES = [
  'none',
  'no',
  'na',
  'null',
  'unknown',
  'test',
  'noemail',
  'no-email',
  'noreply',
  'no-reply',
  'anonymous',
];
const USUAL_HOSTS = ['none', 'no', 'na', 'null', 'unknown', 'test', 'noemail', 'example', 'email', 'mail'];
const EMAIL = /^([^@]+)@([^@.]+)(?:\.[^@.]+)?$/;
const ONE_DIGIT = /^\+?(\d)\1*$/;
const COUNTED = ['123', '1234', '12345', '123456', '1234567', '12345678', '123456789', '1234567890'];

/** Tells whether people without such a value fill forms with this one: `unknown`, `0000000000`, `none@none.com`. */
export function isUsualFiller(value: string): boolean {
  const text = value.trim().toLowerCase();
  if (WORDS.has(text) || COUNTED.includes(text) || ONE_DIGIT.test(text.replace(/[\s()./-]/g, ''))) return true;
  const [, name, host] = EMAIL.exec(text) ?? [];
  return name !== undefined && host !== undefined && USUAL_NAMES.includes(name) && USUAL_HOSTS.includes(host);
}
