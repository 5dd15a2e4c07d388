/** Loaded when the first callback comes. */
const library = async () => (await import('twilio/lib/webhooks/webhooks.js')).default;

/** The network sends some thirty; the form is read before its proof is judged, so one with more is not read. */
const MOST_PARAMETERS = 1_000;
const AMPERSAND = 0x26;

/** A callback as it came. */
export interface SignedCallback {
  /** the address that the network was given: `PUBLIC_URL` and path; never what the Host header says */
  url: string;
  /** `X-Twilio-Signature` */
  signature: string | undefined;
  /** the form that the signature covers */
  form: Buffer;
}

/** Names and values of a form; a name that comes several times has a list. */
export type FormParameters = Record<string, string | string[]>;

/** Reads a form as the network wrote it. */
export function readForm(form: Buffer): FormParameters {
  const read = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(form.toString('utf8'))) {
    const known = read.get(name);
    if (known === undefined) read.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else read.set(name, [known, value]);
  }
  return Object.fromEntries(read);
}

/** Whether this address and this form were signed with the auth token; compares in constant time. */
export async function isSigned({ url, signature, form }: SignedCallback, authToken: string): Promise<boolean> {
  // A path need not make an address below ours (`POST http://…` names one of its own).
  if (!URL.canParse(url) || isOversized(form)) return false;
  const { validateRequest } = await library();
  return validateRequest(authToken, signature ?? '', url, readForm(form));
}

function isOversized(form: Buffer): boolean {
  let at = -1;
  for (let parameters = 1; parameters <= MOST_PARAMETERS; parameters++) {
    at = form.indexOf(AMPERSAND, at + 1);
    if (at < 0) return false;
  }
  return true;
}
