const EXPONENT = /\d[eE][+-]?\d{3}/;
/** Fewer digits than these are exact in every double. */
const MOST_EXACT = 15;
const POINT = 46;

/**
 * Tells whether a JSON text may hold a number that a double cannot carry: 16 digits in a row, points between them allowed, or
 * an exponent of three digits. One expression for both takes five times as long (1.75 against 0.36 µs for 850 bytes).
 */
export function mayLoseDigits(text: string): boolean {
  return hasLongRun(text) || EXPONENT.test(text);
}

/** Looks at one character of 16: a run of 16 digits has one of them. */
function hasLongRun(text: string): boolean {
  for (let at = MOST_EXACT; at < text.length; at += MOST_EXACT + 1) {
    const code = text.charCodeAt(at);
    if ((isDigit(code) || code === POINT) && isInLongRun(text, at)) return true;
  }
  return false;
}

/** Counts the digits around `at`. Two points in a row end a run, so it looks at some thirty characters at most. */
function isInLongRun(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && continuesRun(text, from - 1, from)) from--;
  let digits = 0;
  for (let next = from; next === from || continuesRun(text, next, next - 1); next++) {
    if (isDigit(text.charCodeAt(next))) digits++;
    if (digits > MOST_EXACT) return true;
  }
  return false;
}

/** Tells whether the character at `at` belongs to the run of its neighbour. */
function continuesRun(text: string, at: number, neighbour: number): boolean {
  const code = text.charCodeAt(at);
  return isDigit(code) || (code === POINT && text.charCodeAt(neighbour) !== POINT);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
