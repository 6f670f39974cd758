import type { TSchema } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { CreateAnswer } from '../contract/answers.ts';
import { CreateBodyOne, CreateBodyThree, CreateBodyTwo } from '../contract/create.ts';
import { createRequest } from '../create-request.ts';
import type { RequestDraft, Version } from '../read/draft.ts';
import type { ExtensionNames } from '../read/read-extension.ts';
import { type BodyThree, readVersionThree } from '../read/read-version-three.ts';
import { type BodyTwo, readVersionTwo } from '../read/read-version-two.ts';
import { createAnswer } from '../wire/request-answer.ts';
import { type EndpointContext, endpointOf, extensionNames, requestsPath, suffixOf } from './dsr-endpoint.ts';

/**
 * Maximum body size, many times what identities and callback URLs need. Bodies are stored, encrypted, until the request is
 * over.
 */
// The specification does not limit the size of a request.
const MOST_BODY_BYTES = 64 * 1024;

interface Form {
  readonly body: TSchema;
  readonly read: (body: unknown, names: ExtensionNames) => RequestDraft;
}

/** Schema and reader of each version's body. */
const FORMS: Readonly<Record<Version, Form>> = {
  3: { body: CreateBodyThree, read: (body, names) => readVersionThree(body as BodyThree, names) },
  2: { body: CreateBodyTwo, read: (body, names) => readVersionTwo(body as BodyTwo, 2, names) },
  1: { body: CreateBodyOne, read: (body, names) => readVersionTwo(body as BodyTwo, 1, names) },
};

/** Returns the endpoint `POST /requests`. */
export function createEndpoint(context: EndpointContext, version: Version): Endpoint {
  const { body: schema, read } = FORMS[version];
  const names = extensionNames(context, version);
  return defineEndpoint({
    ...endpointOf(context, version),
    method: 'POST',
    path: requestsPath(version),
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: schema,
    bodyLimitBytes: () => MOST_BODY_BYTES,
    operationId: `createSubjectRequest${suffixOf(version)}`,
    summary: 'Create a data subject request',
    description: `Creates an access, portability or erasure request. Access and portability begin at once; an erasure begins after 7 days, during which it can be cancelled. The name of the extension is \`${names[0]}\`.`,
    responses: { 201: CreateAnswer },
    refusals: { 409: 'A request for the same identities, with the same extensions and type, is in progress.' },
    async handler({ body, bodyText, caller: { workspaceId, actor } }) {
      const draft = read(body, names);
      const create = () => createRequest(context, { workspaceId, actor, draft, bodyText });
      const request = await context.limits.create(workspaceId, create);
      return { status: 201, body: createAnswer(request, { version, bodyText }) };
    },
  });
}
