import createClient, { type Middleware } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { BASE } from '../app/base.js';
import { endSession, tokenOfSession } from '../app/session.js';
import { Problem, readProblem } from './problem.js';
import type { components, paths } from './schema.js';

/** A part of the OpenAPI document by its name: `Schema<'CampaignData'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

const READ_MS = 15_000;
const WRITE_MS = 120_000;

/** Calls that need no token, and whose 401 ends no session. */
const LOGIN = '/auth/login';

const throughSession: Middleware = {
  onRequest({ request }) {
    const token = tokenOfSession();
    if (token !== null && !request.headers.has('authorization')) {
      request.headers.set('authorization', `Bearer ${token}`);
    }
    return request;
  },
  async onResponse({ request, response }) {
    if (response.ok) return undefined;
    const body: unknown = await response.json().catch(() => null);
    const sent = request.headers.get('authorization');
    // an answer to a token that has been replaced meanwhile says nothing about the present one
    if (response.status === 401 && !request.url.includes(LOGIN) && sent === `Bearer ${tokenOfSession() ?? ''}`) {
      endSession('ended');
    }
    throw readProblem(response.status, body);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    return new Problem(0, 'The API does not answer.');
  },
};

/** With a bound on how long an answer is waited for. */
function patientFetch(request: Request): Promise<Response> {
  const patience = AbortSignal.timeout(request.method === 'GET' ? READ_MS : WRITE_MS);
  return fetch(request, { signal: AbortSignal.any([request.signal, patience]) });
}

/**
 * The API, typed by its document: `await api.POST('/v6/api/campaigns', { body })`. Throws a `Problem` for everything
 * but success, so `data` is always there.
 */
export const api = createClient<paths>({ baseUrl: BASE, fetch: patientFetch });
api.use(throughSession);

/** The same for React Query: `$api.useQuery('get', '/v6/api/campaigns', { params: { query } })`. */
export const $api = createQueryClient(api);

/** Option of a query whose page follows what happens: asks again every few seconds while the page is looked at. */
export const LIVE = { refetchInterval: 3_000 } as const;

/**
 * A file of the API (an export, a recording) with the session's token, for a download or a player. The caller revokes
 * the address with `URL.revokeObjectURL`.
 */
export async function fetchBlob(path: string): Promise<Blob> {
  const { data } = await api.GET(path as '/health/live', { parseAs: 'blob' });
  return data as unknown as Blob;
}

/** Hands a file of the API to the browser, to be saved under a name. */
export async function download(path: string, name: string): Promise<void> {
  saveBlob(await fetchBlob(path), name);
}

/** Hands a file to the browser, to be saved under a name. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
