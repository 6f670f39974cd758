// A self-signed certificate for localhost and its key, made for tests only. Valid until 2126.
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Has the whole process trust `CERTIFICATE`. Returns what takes that back. */
export function trustLocalhost(): () => void {
  return trustCertificate(CERTIFICATE);
}

/** Has the whole process trust a certificate. Returns what takes that back, for the next file runs in this process too. */
export function trustCertificate(certificate: string): () => void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  return () => setDefaultCACertificates(trusted);
}

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIULmJBI1p1N2dyhbECtkJ2ow/8hUkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEzMzE1NVoYDzIxMjYxMDI4
MTMzMTU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATCL29HIxTFREUSyg6DTtfDJTQMBZETBxBn7tOhP6XC/OlI1z4hPndh
l6trt4jIwIbreDtCVizxlE5MEUqSh07Oo2kwZzAdBgNVHQ4EFgQUCrW0TXwB6C39
qpZxScu2laTPeQowHwYDVR0jBBgwFoAUCrW0TXwB6C39qpZxScu2laTPeQowDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgQwasPxldCOYNvSBDU9vCFIfDbWkljxAvyQkw2A1pJRgCIQCVsLaAuC6X
adSK+av+RksOCIQKEneOvgYvvnB+QynRzQ==
-----END CERTIFICATE-----
`;

export const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgY8VKn+FBUzY3dOUB
hGADp5/FdXp6a63opoLYfIIl0vyhRANCAATCL29HIxTFREUSyg6DTtfDJTQMBZET
BxBn7tOhP6XC/OlI1z4hPndhl6trt4jIwIbreDtCVizxlE5MEUqSh07O
-----END PRIVATE KEY-----
`;

/** Another pair for the same name. */
export const OTHER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUFHN2jurMNQrsD0b9S9znIZoon6QwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE2NDAyN1oYDzIxMjYxMDI4
MTY0MDI3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS+jIGjHtaX8l0inoajNy5nF95ZLsZ+bIl/yY1BN95Vq37/D6OvZN1G
s5UG1HemB2hOgiF1GQ43NsnBX8rxcoC/o2kwZzAdBgNVHQ4EFgQUkOug68JG+mDS
4Q2TreQNBzSvHUQwHwYDVR0jBBgwFoAUkOug68JG+mDS4Q2TreQNBzSvHUQwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAIrzuvTQ7bHNueWJT/HGXgTELON/lSjAuGKWTw4PHmRqAiEArC2vHWPg
HQqawuw9j32h1K+o4BoF9jcawMDyl0hjBSU=
-----END CERTIFICATE-----
`;

export const OTHER_CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEy5YXEvgd+gcPfdX
UADeyMvlZMgO+SbZYducIwQiaCKhRANCAAS+jIGjHtaX8l0inoajNy5nF95ZLsZ+
bIl/yY1BN95Vq37/D6OvZN1Gs5UG1HemB2hOgiF1GQ43NsnBX8rxcoC/
-----END PRIVATE KEY-----
`;
