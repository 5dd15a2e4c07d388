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

/** A login that must have a second factor, and has none, does nothing else. */
const SIGN_IN = '/app/account/sign-in';

/** Of a token that is good no longer; another 401 says that a password or code is wrong. */
const OVER = 'Invalid Authorization token';

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
    const problem = readProblem(response.status, body);
    // an answer to a token that has been replaced meanwhile says nothing about the present one
    const isOver = response.status === 401 && problem.message === OVER && !request.url.includes(LOGIN);
    if (isOver && sent === `Bearer ${tokenOfSession() ?? ''}`) endSession('ended');
    if (problem.code === 'second_factor_missing' && !location.pathname.endsWith(SIGN_IN))
      location.assign(BASE + SIGN_IN);
    throw problem;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    return new Problem(0, 'The API does not answer.');
  },
};

let confirmPresence: () => Promise<boolean> = () => Promise.resolve(false);

/** Who asks the person to confirm that it is they; resolves whether they did. */
export function onConfirmation(asking: () => Promise<boolean>): void {
  confirmPresence = asking;
}

/** Sends a request again once the person has confirmed, where the API asks for that. */
async function confirmedFetch(request: Request): Promise<Response> {
  const again = request.method === 'GET' ? null : request.clone();
  const response = await patientFetch(request);
  if (again === null || response.status !== 403) return response;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (readProblem(403, body).code !== 'confirmation_required' || again.url.includes('/account/confirmation'))
    return response;
  return (await confirmPresence()) ? patientFetch(again) : response;
}

/** With a bound on how long an answer is waited for. */
function patientFetch(request: Request): Promise<Response> {
  const patience = AbortSignal.timeout(request.method === 'GET' ? READ_MS : WRITE_MS);
  return fetch(request, { signal: AbortSignal.any([request.signal, patience]) });
}

/**
 * The API, typed by its document: `await api.POST('/v6/api/campaigns', { body })`. Throws a `Problem` for everything
 * but success, so `data` is always there.
 */
export const api = createClient<paths>({ baseUrl: BASE, fetch: confirmedFetch });
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
