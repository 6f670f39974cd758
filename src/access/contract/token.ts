import { type Static, Type } from 'typebox';

/** Body of a token request. `client_id` and `client_secret` may come as HTTP Basic instead (RFC 6749, 2.3.1). */
export const TokenBody = Type.Object(
  {
    client_id: Type.Optional(Type.String({ maxLength: 256 })),
    client_secret: Type.Optional(Type.String({ maxLength: 1024 })),
    audience: Type.String({ maxLength: 2048, description: 'URL of this API, without a path.' }),
    grant_type: Type.String({ maxLength: 256, description: 'Must be `client_credentials`.' }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        client_id: '27e5fd94c4556054971c20b649df1e87',
        client_secret: 'the secret of `penstock init`',
        audience: 'http://127.0.0.1:8080',
        grant_type: 'client_credentials',
      },
    ],
  },
);
export type TokenBody = Static<typeof TokenBody>;

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'Send it as `Authorization: Bearer …`.' }),
    expires_in: Type.Integer({ description: 'Seconds until the token expires. It cannot be revoked earlier.' }),
    token_type: Type.Literal('Bearer'),
  },
  { additionalProperties: false },
);

const PublicJwk = Type.Object(
  {
    kty: Type.Literal('RSA'),
    use: Type.Literal('sig'),
    alg: Type.Literal('RS256'),
    kid: Type.String(),
    n: Type.String(),
    e: Type.String(),
  },
  { additionalProperties: false },
);
export type PublicJwk = Static<typeof PublicJwk>;

export const KeySet = Type.Object({ keys: Type.Array(PublicJwk) }, { additionalProperties: false });
