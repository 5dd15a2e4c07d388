/** What tests and benchmarks need of a client of the API. */
import { setTimeout as sleep } from 'node:timers/promises';

export const PASSWORD = 'Bench-1234!';

/** Asks until `isDone` says so of the answer. @returns the answer, and how often was asked */
export async function until(ask, isDone, { everyMs = 50, withinMs = 300_000 } = {}) {
  const began = performance.now();
  for (let polls = 1; ; polls++) {
    const answer = await ask();
    if (isDone(answer)) return { answer, polls };
    if (performance.now() - began > withinMs) throw new Error(`waited in vain, at last for ${JSON.stringify(answer)}`);
    await sleep(everyMs);
  }
}

/** JSON as it is sent: what is text, or encoded already, stays as it is. */
const encoded = (body) => (typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));

/** Logs in; answers a function that calls the API as JSON. */
export async function signIn(url, username, password = PASSWORD) {
  const call = async (method, path, body, token) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: encoded(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const { token } = await call('POST', '/v6/api/v1/auth/login', { email_or_username: username, password });
  return { token, call: (method, path, body) => call(method, path, body, token) };
}

/**
 * An account with credits, made by staff, and signed in.
 * @param admin signed in as staff @param {Record<string, number>} credits amounts by balance
 */
export async function openAccount(url, admin, username, credits) {
  const names = { firstname: username, lastname: 'Account' };
  await admin.call('POST', '/v6/api/admin/accounts', { username, password: PASSWORD, ...names });
  for (const [balance, amount] of Object.entries(credits)) {
    await admin.call('POST', `/v6/api/admin/accounts/${username}/credits`, { balance, amount });
  }
  return signIn(url, username);
}

/** So many different numbers. @param first the first of them */
export const contacts = (count, first = 919_000_000_000) =>
  Array.from({ length: count }, (_, index) => String(first + index));

/** The body of an SMS broadcast. */
export const broadcast = (numbers, service = 'sandbox') =>
  JSON.stringify({
    broadcast_name: 'bench',
    brodcast_service: service,
    message: 'Hello from the benchmark',
    contacts: numbers,
  });
