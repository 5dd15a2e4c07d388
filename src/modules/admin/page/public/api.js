/** Calls of the public API with the bearer token of the login, which lives in this tab only and never in a URL. */

const TOKEN = 'switchboard.token';
const NAME = 'switchboard.name';
/** Below what the page stands: nothing, or the prefix of a cell, which every call needs too. */
export const BASE = location.pathname.replace(/\/admin(\/.*)?$/, '');
/** Where a login that has ended leads; the page says so. */
const ENDED = `${BASE}/admin/login#ended`;
const PATIENCE_MS = 15_000;

/** An answer that is no success; `message` is the API's own. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Logs in; only staff stay so. @throws ApiError with the API's text */
export async function logIn(name, password) {
  const { token, user } = await send('POST', '/v6/api/v1/auth/login', { email_or_username: name, password });
  if (user.user_type !== 'super' && user.user_type !== 'admin') {
    throw new ApiError(403, 'This account is not a staff account.');
  }
  sessionStorage.setItem(TOKEN, token);
  sessionStorage.setItem(NAME, user.name || user.username);
  // the page itself wants the cookie, which browsers keep over https only where the service runs in production
  const page = await fetch(`${BASE}/admin`, { redirect: 'manual' });
  if (page.type === 'opaqueredirect') {
    forget();
    throw new ApiError(0, 'The browser did not keep the session: allow cookies, and open this page over https.');
  }
}

/** From the click on: the 401 to a request that is still under way is expected. */
let isLeaving = false;

/** Forgets the token and the browser's session, and goes to the login. */
export async function logOut() {
  isLeaving = true;
  forget();
  await fetch(`${BASE}/admin/logout`, { method: 'POST' }).catch(() => undefined);
  location.replace(`${BASE}/admin/login`);
}

/** Whose name stands in the corner; null without a token. */
export const loggedInName = () => (sessionStorage.getItem(TOKEN) === null ? null : sessionStorage.getItem(NAME));

export const get = (path) => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);
export const patch = (path, body) => call('PATCH', path, body);

async function call(method, path, body) {
  try {
    return await send(method, path, body, sessionStorage.getItem(TOKEN));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && !isLeaving) {
      forget();
      location.replace(ENDED);
    }
    throw error;
  }
}

function forget() {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(NAME);
}

async function send(method, path, body, token) {
  const headers = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token) headers.authorization = `Bearer ${token}`;
  let response;
  let answer;
  try {
    response = await fetch(BASE + path, {
      method,
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    answer = await response.json();
  } catch {
    // a proxy may answer in its place, with a page
    const text = response?.ok === false ? `The API answered ${response.status}.` : 'The API does not answer.';
    throw new ApiError(response?.status ?? 0, text);
  }
  if (!response.ok) throw new ApiError(response.status, answer.message ?? `The API answered ${response.status}.`);
  return answer;
}
