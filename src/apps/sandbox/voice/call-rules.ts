import { isHttpUrl } from '../../../kernel/web-url.js';
import type { Call } from './call.js';
import { TelephoneError } from './telephone-error.js';

const WORTHLESS_TOKEN = 'bad-token';
const ACCOUNT = /^AC[0-9a-f]{32}$/i;
const NUMBER = /^\+[1-9]\d{6,15}$/;
const LONGEST_TWIML = 4_000;
const LONGEST_RING_SECONDS = 600;
const EVENTS = new Set(['initiated', 'ringing', 'answered', 'completed']);

const bad = (code: number, message: string): TelephoneError => new TelephoneError(400, code, message);

/** Who calls: basic authentication with the account's SID and token. @throws TelephoneError 20003 */
export function readLogin(header: string | undefined, accountSid: string): string {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(header ?? '') ?? [];
  const login = Buffer.from(encoded, 'base64').toString('utf8');
  const at = login.indexOf(':');
  const [user, token] = [login.slice(0, Math.max(at, 0)), login.slice(at + 1)];
  if (at < 1 || token === '' || token === WORTHLESS_TOKEN || user !== accountSid || !ACCOUNT.test(user)) {
    throw new TelephoneError(401, 20003, 'Authenticate');
  }
  return token;
}

/** What a request asks for, judged as the network judges it. @throws TelephoneError */
export function readCall(
  form: URLSearchParams,
): Pick<Call, 'to' | 'from' | 'instructions' | 'statusCallback' | 'statusEvents'> {
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? '';
  if (to === '') throw bad(21201, "No 'To' number is specified");
  if (from === '') throw bad(21213, "No 'From' number is specified");
  if (!NUMBER.test(to)) throw bad(21211, `The phone number you are attempting to call, ${to}, is not valid.`);
  if (!NUMBER.test(from)) throw bad(21212, `The source phone number provided, ${from}, is not valid.`);
  const timeout = form.get('Timeout') ?? '60';
  if (!/^\d+$/.test(timeout) || Number(timeout) > LONGEST_RING_SECONDS) throw bad(21220, 'Invalid Timeout');
  return { to, from, instructions: readInstructions(form), ...readStatusCallback(form) };
}

function readInstructions(form: URLSearchParams): Call['instructions'] {
  const url = form.get('Url');
  const twiml = form.get('Twiml');
  if (url !== null) {
    if (!isHttpUrl(url)) throw bad(21205, `Url is not a valid URL: ${url}`);
    return { url, method: readMethod(form, 'Method') };
  }
  if (twiml === null || twiml === '') throw bad(21205, 'Url parameter is required.');
  if (twiml.length > LONGEST_TWIML) throw bad(21602, 'Twiml is too long');
  return { twiml };
}

function readStatusCallback(form: URLSearchParams): Pick<Call, 'statusCallback' | 'statusEvents'> {
  const url = form.get('StatusCallback');
  if (url === null) return { statusCallback: null, statusEvents: [] };
  if (!isHttpUrl(url)) throw bad(21609, `Invalid StatusCallback URL: ${url}`);
  if (readMethod(form, 'StatusCallbackMethod') !== 'POST') throw bad(21609, 'The sandbox reports by POST only');
  const events = form.getAll('StatusCallbackEvent');
  if (events.some((event) => !EVENTS.has(event))) throw bad(21626, 'Invalid StatusCallbackEvent');
  return { statusCallback: url, statusEvents: events.length === 0 ? ['completed'] : events };
}

function readMethod(form: URLSearchParams, name: string): 'GET' | 'POST' {
  const method = (form.get(name) ?? 'POST').toUpperCase();
  if (method !== 'GET' && method !== 'POST') throw bad(21403, `${name} is not valid`);
  return method;
}
