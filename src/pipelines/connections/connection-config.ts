// The `config` of a connection between wire, store and connector: checked, encrypted, masked, revealed.

import { PROVIDER_FACTS, type Provider } from '../../../connectors/facts.ts';
import { field, type Issue, type KeyRing, SECRET_MASK, Secret, say } from '../../kernel/index.ts';
import type { ConnectionConfig, Connector, Fleet } from '../../warehouse/index.ts';
import type { Connection } from './connection.ts';
import { secretFieldsOf } from './provider.ts';

type ConnectionKey = Pick<Connection, 'workspaceId' | 'id'>;

/** Returns complaints about a configuration with revealed secrets, with paths such as `config.database`. */
export function checkConfig(fleet: Fleet, provider: Provider, config: ConnectionConfig): readonly Issue[] {
  const connector = fleet[provider];
  return connector === undefined ? checkByTable(provider, config) : checkByConnector(connector, config);
}

function checkByConnector(connector: Connector, config: ConnectionConfig): readonly Issue[] {
  return connector.checkConfig(config).map(({ path, message }) => ({
    path: path === '' ? 'config' : /^config(?:$|[.[])/.test(path) ? path : `config.${path}`,
    message,
  }));
}

function checkByTable(provider: Provider, config: ConnectionConfig): readonly Issue[] {
  const { required, optional, mayBeEmpty = [] } = PROVIDER_FACTS[provider].config;
  const known = [...required, ...optional];
  const missing = required.filter((field) => config[field] === undefined);
  const issues = missing.map((field) => ({ path: `config.${field}`, message: `is required for ${provider}` }));
  for (const [field, value] of Object.entries(config)) {
    const path = `config.${field}`;
    if (!known.includes(field)) {
      issues.push({ path, message: `is not a field of ${provider}; known are ${known.join(', ')}` });
    } else if (typeof value !== 'string' || (value.trim() === '' && !mayBeEmpty.includes(field))) {
      issues.push({ path, message: 'must be text that is not empty' });
    }
  }
  return issues;
}

/**
 * Returns the configuration of a body with its masks replaced by the stored secrets (D-016). `storedSecret` is called
 * for masked fields only, so that a secret that can no longer be decrypted can be replaced. A mask with nothing behind
 * it is an issue.
 */
export function unmaskConfig(
  { config, secretFields }: Sealing,
  storedSecret: (field: string) => string | undefined,
): { readonly config: ConnectionConfig; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const entries = Object.entries(config).map(([field, value]): readonly [string, unknown] => {
    if (!isMasked({ config, secretFields }, field)) return [field, value];
    const secret = storedSecret(field);
    if (secret !== undefined) return [field, secret];
    issues.push({ path: `config.${field}`, message: 'is the mask, but no secret is stored; send the secret itself' });
    return [field, value];
  });
  return { config: Object.fromEntries(entries), issues };
}

/**
 * Returns complaints about masks beside a new address. A caller who may change a connection must not be able to send its stored
 * secret to a server of their own (D-016).
 */
export function checkMasksStay({ config, secretFields }: Sealing, stored: Pick<Connection, 'provider' | 'config'>) {
  const moved = PROVIDER_FACTS[stored.provider].addressFields.filter(
    (field) => String(config[field]) !== String(stored.config[field]),
  );
  if (moved.length === 0) return [];
  const masked = secretFields.filter((field) => isMasked({ config, secretFields }, field));
  const names = moved.map((name) => say`${field(`config.${name}`)}`);
  const changed = names.reduce((all, name) => say`${all} and ${name}`);
  const words = say`is the mask, but ${changed} changed; send the secret itself to use it there`;
  return masked.map((name): Issue => ({ path: `config.${name}`, ...words }));
}

/** Returns whether the body sent back the mask that GET shows in place of a secret. */
export function isMasked({ config, secretFields }: Sealing, field: string): boolean {
  return config[field] === SECRET_MASK && secretFields.includes(field);
}

/** Returns one stored secret of a connection. Returns undefined where there is none. Throws SECRET_UNREADABLE. */
export function revealSecret(
  keyRing: KeyRing,
  connection: ConnectionKey & Pick<Connection, 'config'>,
  field: string,
): string | undefined {
  const sealed = connection.config[field];
  return typeof sealed === 'string' ? keyRing.decrypt(sealed, contextOf(connection, field)).reveal() : undefined;
}

/** Encrypts the secret fields, each bound to its workspace, connection and name. */
export function sealConfig(keyRing: KeyRing, key: ConnectionKey, sealing: Sealing): ConnectionConfig {
  return mapSecrets(sealing, (field, value) => keyRing.encrypt(new Secret(value), contextOf(key, field)));
}

/** Returns the configuration with which a connector opens. Throws SECRET_UNREADABLE. */
export function revealConfig(
  keyRing: KeyRing,
  fleet: Fleet,
  connection: ConnectionKey & Pick<Connection, 'provider' | 'config'>,
): ConnectionConfig {
  const { provider, config } = connection;
  return mapSecrets({ config, secretFields: secretFieldsOf(fleet, provider) }, (field, value) =>
    keyRing.decrypt(value, contextOf(connection, field)).reveal(),
  );
}

/** Returns the encrypted texts of a stored configuration, wherever it is stored. */
export function sealedTexts(
  fleet: Fleet,
  { provider, config, ...key }: ConnectionKey & Pick<Connection, 'provider' | 'config'>,
): readonly { readonly text: string; readonly context: string }[] {
  return secretFieldsOf(fleet, provider).flatMap((field) => {
    const text = config[field];
    return typeof text === 'string' ? [{ text, context: contextOf(key, field) }] : [];
  });
}

/** Returns the configuration as the API shows it, with masked secrets. */
export function maskConfig(sealing: Sealing): ConnectionConfig {
  return mapSecrets(sealing, () => SECRET_MASK);
}

interface Sealing {
  readonly config: ConnectionConfig;
  readonly secretFields: readonly string[];
}

function mapSecrets(
  { config, secretFields }: Sealing,
  change: (field: string, value: string) => string,
): ConnectionConfig {
  const entries = Object.entries(config).map(([field, value]): readonly [string, unknown] =>
    secretFields.includes(field) && typeof value === 'string' ? [field, change(field, value)] : [field, value],
  );
  return Object.fromEntries(entries);
}

function contextOf({ workspaceId, id }: ConnectionKey, field: string): string {
  return `${workspaceId}/connection/${id}/config.${field}`;
}
