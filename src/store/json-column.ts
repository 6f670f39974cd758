import { customType } from 'drizzle-orm/pg-core';

/**
 * Defines a column of JSON text. Every statement that writes it writes values of this type, so a value that is read has
 * the type, too.
 */
export const jsonColumn = <Value>(name: string) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    fromDriver: (stored): Value => JSON.parse(stored),
    toDriver: (value) => JSON.stringify(value),
  })(name);
