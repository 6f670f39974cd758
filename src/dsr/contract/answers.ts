// Wire shapes of answers (docs/spec/data-subject-requests.md#status-object). Times end in Z in version 3 and have no zone in
// versions 1 and 2 (D-052).
import { Type } from 'typebox';
import { REQUEST_STATUSES } from '../request-machine.ts';
import { REQUEST_TYPES } from '../request-type.ts';

const CLOSED = { additionalProperties: false };
const Text = Type.String();
const orNull = (description: string) => Type.Union([Text, Type.Null()], { description });

const Received = {
  received_time: Type.String({ description: 'When the request was received: ISO 8601, UTC.' }),
  subject_request_id: Text,
  controller_id: Type.String({ description: 'Id of the workspace.' }),
};

export const CreateAnswer = Type.Object(
  {
    expected_completion_time: Type.String({ description: 'ISO 8601, UTC.' }),
    encoded_request: Type.String({ description: 'The body as received, in base64.' }),
    ...Received,
  },
  { ...CLOSED, title: 'SubjectRequestCreated' },
);

export const CancelAnswer = Type.Object(
  { expected_completion_time: Type.Null(), ...Received },
  { ...CLOSED, title: 'SubjectRequestCancelled' },
);

const Forwarding = Type.Object(
  {
    domain: Type.String({ description: 'Id of the partner.' }),
    name: Text,
    status: Type.Enum(['pending', 'skipped', 'sent', 'failed']),
    status_message: Type.String({ description: 'Reason if it was skipped or failed; otherwise empty.' }),
  },
  { ...CLOSED, title: 'SubjectRequestForwarding' },
);

export const RequestAnswer = Type.Object(
  {
    controller_id: Type.String({ description: 'Id of the workspace.' }),
    expected_completion_time: orNull('ISO 8601, UTC; null after cancellation.'),
    subject_request_id: Text,
    group_id: orNull('Null in requests of version 1 or 2.'),
    request_status: Type.Enum(REQUEST_STATUSES),
    api_version: Type.Enum(['3.0', '2.0', '1.0']),
    results_url: orNull(
      'URL of the result file of an access or portability request, for 7 days after its completion; absent if nothing was found.',
    ),
    extensions: Type.Union([Type.Array(Forwarding), Type.Null()], {
      description: 'Version 3: state of each partner that an erasure is forwarded to.',
    }),
  },
  { ...CLOSED, title: 'SubjectRequest' },
);

export const RequestListAnswer = Type.Array(RequestAnswer, { description: 'In order of receipt.' });

export const DiscoveryAnswer = Type.Object(
  {
    api_version: Type.Enum(['3.0', '2.0', '1.0']),
    supported_identities: Type.Array(Type.Object({ identity_type: Text, identity_format: Type.Enum(['raw']) }, CLOSED)),
    supported_subject_request_types: Type.Array(Type.Enum(REQUEST_TYPES)),
    processor_certificate: Type.String({ description: 'Where the certificate is whose key signs.' }),
  },
  { ...CLOSED, title: 'SubjectRequestDiscovery' },
);
