import { type IdentityType, isDeviceId, type Person } from '../../identity/index.ts';
import { msOfMicros } from '../../kernel/index.ts';

/** Returns what a row says of a person as an event batch without events: JSON text for display. */
export function batchOfPerson({ mpid, identities, attributes, setAt }: Person, environment: string): string {
  const named = (isWanted: (type: IdentityType) => boolean) =>
    identities.filter(({ type }) => isWanted(type)).map(({ type, value }) => [type, JSON.stringify(value)] as const);
  const values = attributes.names.flatMap((name, index) => {
    const text = attributes.texts[index];
    return text === null || text === undefined ? [] : [[name, text] as const];
  });
  return objectText([
    ...(mpid === undefined ? [] : [['mpid', String(mpid)] as const]),
    ...inside(
      'user_identities',
      named((type) => !isDeviceId(type)),
    ),
    ...inside(
      'device_info',
      named((type) => isDeviceId(type) && type !== OF_BATCH),
    ),
    ...named((type) => type === OF_BATCH),
    ...inside('user_attributes', values),
    ['environment', JSON.stringify(environment)],
    ['timestamp_unixtime_ms', String(msOfMicros(setAt))],
  ]);
}

/** The one device id that stands in the batch itself. */
const OF_BATCH: IdentityType = 'mp_deviceid';

type Field = readonly [name: string, text: string];

function inside(name: string, fields: readonly Field[]): readonly Field[] {
  return fields.length === 0 ? [] : [[name, objectText(fields)]];
}

function objectText(fields: readonly Field[]): string {
  return `{${fields.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
