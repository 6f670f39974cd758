/** Values of subject_request_type. */
export const REQUEST_TYPES = ['access', 'portability', 'erasure'] as const;
export type RequestType = (typeof REQUEST_TYPES)[number];
