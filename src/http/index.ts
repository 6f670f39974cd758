export type {
  ApiName,
  Authenticate,
  Caller,
  CredentialRequest,
  CredentialRule,
  Endpoint,
  EndpointRequest,
  EndpointResponse,
  EndpointSpec,
  Provision,
} from './contract.ts';
export { type Page, PageQuery, readPage } from './page.ts';
