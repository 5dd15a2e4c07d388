import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const CLIENT = { client_id: 'switchboard', client_secret: 'a-secret-of-the-client' };

/** A real OpenID provider with login pages of its own; `people` by subject are what it knows of them. */
export interface OpenIdProvider {
  people: Record<string, Record<string, unknown>>;
  /** settings of the service that trusts it */
  settings: { OIDC_ISSUER: string; OIDC_CLIENT_ID: string; OIDC_CLIENT_SECRET: string };
  /** Begins to answer. @param site address of that service */
  serve(site: string): void;
  stop(): void;
}

export async function openIdProvider(): Promise<OpenIdProvider> {
  const people: OpenIdProvider['people'] = {};
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    people,
    settings: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.client_id, OIDC_CLIENT_SECRET: CLIENT.client_secret },
    serve: (site) => {
      const claims = ['sub', 'groups', 'preferred_username', 'email', 'email_verified', 'given_name', 'family_name'];
      const provider = new Provider(issuer, {
        clients: [{ ...CLIENT, redirect_uris: [`${site}/v6/api/auth/oidc/callback`] }],
        claims: { openid: claims },
        cookies: { keys: ['a key of the provider'] },
        pkce: { required: () => true },
        findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
      });
      const answer = provider.callback();
      server.on('request', (request, response) => void answer(request, response));
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
