import type { Static } from 'typebox';
import type { HeldIdentity, Profile } from '../../identity/index.ts';
import { formatMicros, parseJson } from '../../kernel/index.ts';
import type { ProfileAnswer } from './contract.ts';

/** Returns a profile as the API shows it: numbers of 64 bits as text, values of attributes with every digit. */
export function profileAnswer(profile: Profile): Static<typeof ProfileAnswer> {
  const { mpid, environment, createdOn, sourceMpid, holdsLogin, identities, attributes, consent } = profile;
  return {
    mpid: String(mpid),
    environment,
    created_on: createdOn.toISOString(),
    source_mpid: sourceMpid === null ? null : String(sourceMpid),
    holds_login: holdsLogin,
    identities: identities.map(identityAnswer),
    attributes: attributes.map(({ name, value, setAt }) => ({
      name,
      value: parseJson(value),
      set_on: formatMicros(setAt),
    })),
    consent_state: consent === null ? null : parseJson(consent),
  };
}

export const identityAnswer = ({ type, value, isUnverified }: HeldIdentity) => ({
  identity_type: type,
  identity: value,
  ...(isUnverified && { unverified: true as const }),
});
