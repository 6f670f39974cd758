// Attributes for set-based statements of other rooms, which need not know how a profile stores them. Each is JSON text, cast to
// json and never to jsonb, which holds no number of a hundred thousand digits.
import { FIRST_INSTANT, LAST_INSTANT } from '../../kernel/index.ts';
import { keyText } from './attribute-text.ts';
import { timesNameOf } from './attribute-times.ts';

/** The parameters by which a statement looks for an attribute. */
export interface AttributeNames {
  readonly name: string;
  /** Name of the attribute in the times of a profile. */
  readonly timesName: string;
  /** Stands in the text of every profile that has it. */
  readonly keyText: string;
}

export function attributeNames(name: string): AttributeNames {
  return { name, timesName: timesNameOf(name), keyText: keyText(name) };
}

/** SQL over a row `profile` of profiles; what begins with `$` is the placeholder of one of the attribute's names. */
export const attributeSql = {
  /** Returns a cheap test that spares most profiles the parsing: a profile that fails it does not have the attribute. */
  mayHave: (profile: string, $keyText: string): string => `strpos(${profile}.attributes, ${$keyText}::text) > 0`,
  /** Returns the value as json; null where the profile has none. */
  value: (profile: string, $name: string): string => `(${profile}.attributes::json -> ${$name}::text)`,
  /** Returns the text of a string, else of the JSON; null where the profile has none. */
  text: (profile: string, $name: string): string => `(${profile}.attributes::json ->> ${$name}::text)`,
  /** Returns microseconds since 1970, for an attribute that the profile has. Older versions kept times that no bigint holds. */
  setAt: (profile: string, $timesName: string): string => {
    const time = `coalesce(${profile}.attribute_times::json ->> ${$timesName}::text, ${profile}.attribute_times::json ->> '')`;
    return `least(greatest(${time}::numeric, ${FIRST_INSTANT}), ${LAST_INSTANT})::bigint`;
  },
} as const;
