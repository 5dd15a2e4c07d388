/** Calls of the public API with the bearer token of the login, which lives in this tab only and never in a URL. */

const TOKEN = 'switchboard.token';
const NAME = 'switchboard.name';

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
    throw new ApiError(403, 'This account does not belong to the desk.');
  }
  sessionStorage.setItem(TOKEN, token);
  sessionStorage.setItem(NAME, user.name || user.username);
}

/** Forgets the token and the browser's session, and goes to the login. */
export async function logOut() {
  forget();
  await fetch('/admin/logout', { method: 'POST' }).catch(() => undefined);
  location.replace('/admin/login');
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
    if (error instanceof ApiError && error.status === 401) {
      forget();
      location.replace('/admin/login');
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
  try {
    response = await fetch(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  } catch {
    throw new ApiError(0, 'The API does not answer.');
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(response.status, answer.message ?? `The API answered ${response.status}.`);
  return answer;
}
