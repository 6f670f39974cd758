import { variablesOf } from '../test/vendor/read-variables.ts';
import { VENDOR_NAMES, VENDORS } from '../test/vendor/vendors.ts';
import { code, table } from './page-tables.ts';

/** Returns the table of the variables that give an account to `npm run vendor`, and says which of them are secrets. */
export function vendorVariables(): string {
  const rows = VENDOR_NAMES.flatMap((vendor) =>
    variablesOf(vendor).map(({ name, field }) => [
      VENDORS[vendor].product,
      code(name),
      code(field),
      kindOf(vendor, field),
    ]),
  );
  return table(['vendor', 'variable', 'field of `config`', 'secret'], rows);
}

function kindOf(vendor: keyof typeof VENDORS, field: string): string {
  return VENDORS[vendor].connector.secretFields.includes(field) ? 'yes' : '';
}
