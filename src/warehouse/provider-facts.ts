import type { IteratorType } from './iterator.ts';

/**
 * Facts about a provider that hold before its connector opens anything. A connector declares them in `facts.ts`, which loads
 * nothing: no SDK, no schema, no other file.
 */
export interface ProviderFacts {
  /** The connector's own name of the product. */
  readonly product: string;
  /** Names by which people call the products, beside the provider's own word. A provider may have several products. */
  readonly productNames: readonly string[];
  /** Other spellings of these names. They are accepted and never shown. */
  readonly aliases?: readonly string[];
  readonly config: ConfigFields;
  /** Fields of `config` that are encrypted at rest and masked in responses. */
  readonly secretFields: readonly string[];
  /** Fields that determine the server to which the secrets go, and how. A provider with a fixed address has none. */
  readonly addressFields: readonly string[];
  /**
   * Fields that identify the database: as long as they are equal, a table is the same. Default: all fields that are not secret.
   */
  readonly placeFields?: readonly string[];
  /** Defaults of fields, saved and returned where the caller gives none. */
  readonly configDefaults?: Readonly<Record<string, unknown>>;
  /** The warehouse is files in the folder of the workspace. */
  readonly isEmbedded?: true;
  /** Lines of help: the options of `penstock warehouse setup-sql`, then a sentence about them. */
  readonly setUpHelp: readonly string[];
  /** Present where the earlier warehouse API knows the provider. */
  readonly versionOne?: VersionOneFacts;
}

/** Fields of `config` as the specification lists them (D-079). The connector's own schema may know more. */
export interface ConfigFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Fields that are required and may be an empty text. */
  readonly mayBeEmpty?: readonly string[];
}

/** A provider as warehouse sync version 1 shows it. */
export interface VersionOneFacts {
  readonly type: string;
  /** Names of version 1 by those of version 2's `config`. Version 1 cannot express other fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that version 2 requires and version 1 does not know, for a connection that version 1 creates. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Types of a load timestamp. Default: all of version 1. */
  readonly timestampTypes?: readonly VersionOneTimestampType[];
  /** Fields that version 1 cannot express and that exclude a password or key. A password or key that it sends replaces them. */
  readonly otherSignIns?: readonly string[];
}

export type VersionOneTimestampType = IteratorType | 'datetime';
