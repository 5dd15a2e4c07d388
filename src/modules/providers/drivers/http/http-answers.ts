import { keepInexact, objectOrEmpty } from '../../../../kernel/json-values.js';
import { digitsOf } from '../../../../kernel/contacts.js';
import type { OutboundResponse } from '../../../../platform/outbound/index.js';
import type { InboundText, ProviderCallback, Receipt, SendOutcome } from '../../message-driver.js';
import { orElsewhere, outcomeOfAnswer, type Verdict, verdictOf } from '../carrier-answers.js';
import { readPath, readScalar } from '../request-template.js';
import { type HttpInboundConfig, type HttpReceiptConfig, type HttpRouteConfig, USUAL_STATUSES } from './http-config.js';

const LONGEST_TEXT = 200;
const DEFAULTS: HttpReceiptConfig = { id_path: 'id', status_path: 'status' };
const INBOUND_DEFAULTS: HttpInboundConfig = { from_path: 'from', text_path: 'text' };

/** Receipts of a callback, without entries that lack an id or have an unknown status. */
export function readReceipts(config: HttpReceiptConfig | undefined, callback: ProviderCallback): Receipt[] {
  const paths = config ?? DEFAULTS;
  const words = statusWords(paths);
  return entries(callback, paths.list_path).flatMap((entry): Receipt[] => {
    const id = readScalar(readPath(entry, paths.id_path));
    const status = words.get(at(entry, paths.status_path)?.toLowerCase() ?? '');
    if (id === null || !status) return [];
    const failed = status === 'failed';
    const receiver = digitsOf(at(entry, paths.receiver_path) ?? '');
    return [
      {
        providerMessageId: id,
        status,
        errorCode: failed ? asCode(at(entry, paths.error_code_path)) : null,
        errorText: failed
          ? (at(entry, paths.error_text_path)?.slice(0, LONGEST_TEXT) ?? 'Failed at the carrier')
          : null,
        receiver: receiver === '' ? null : receiver,
      },
    ];
  });
}

function statusWords(paths: HttpReceiptConfig): Map<string, Receipt['status']> {
  const map = paths.status_map ?? USUAL_STATUSES;
  return new Map(Object.entries(map).map(([word, status]) => [word.toLowerCase(), status]));
}

/** Inbound texts of a callback, without receipts and entries that lack a number or text. */
export function readTexts(
  { inbound: paths = INBOUND_DEFAULTS, receipt = DEFAULTS }: Pick<HttpRouteConfig, 'inbound' | 'receipt'>,
  callback: ProviderCallback,
): InboundText[] {
  const words = statusWords(receipt);
  return entries(callback, paths.list_path).flatMap((entry): InboundText[] => {
    const from = digitsOf(at(entry, paths.from_path) ?? '');
    const text = at(entry, paths.text_path);
    const isReceipt = words.has(at(entry, receipt.status_path)?.toLowerCase() ?? '');
    return from === '' || text === null || isReceipt ? [] : [{ from, text }];
  });
}

function entries({ method, query, body }: ProviderCallback, listPath: string | undefined): unknown[] {
  if (listPath === undefined && Array.isArray(body)) return body;
  const source = method === 'GET' ? query : { ...query, ...objectOrEmpty(body) };
  if (listPath === undefined) return [source];
  const list = readPath(source, listPath);
  return Array.isArray(list) ? list : list === undefined ? [] : [list];
}

const at = (entry: unknown, path: string | undefined): string | null =>
  path === undefined ? null : readScalar(readPath(entry, path));

const asCode = (text: string | null): number | null =>
  text !== null && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : null;

const LONGEST_ID = 128;

const answered = (status: number): string => `Gateway answered ${status}`;

/** Staff read these as the route's state, so the gateway's text is not quoted. */
const OWN_WORDS: Readonly<Partial<Record<Verdict, (status: number) => { code: number; text: string }>>> = {
  busy: (code) => ({ code, text: 'Throttled by the gateway' }),
  unreached: (code) => ({ code, text: answered(code) }),
};

/** The outcome of a gateway's answer. @param ref serves as id when the route has no `id_path` */
export function outcomeOf(config: HttpRouteConfig, response: OutboundResponse, ref: string): SendOutcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return accepted(config, response, ref);
  const retryAfter = headers['retry-after'];
  const said = OWN_WORDS[verdictOf(status, retryAfter)]?.(status) ?? refusal(config, response);
  const outcome = outcomeOfAnswer(status, { ...said, retryAfter });
  return orElsewhere(outcome, config.failover_codes, [status, ownCode(config, response)]);
}

const ownCode = ({ error_code_path: path }: HttpRouteConfig, { body }: OutboundResponse): string | null =>
  path ? readScalar(readPath(json(body), path)) : null;

function accepted(config: HttpRouteConfig, response: OutboundResponse, ref: string): SendOutcome {
  if (config.id_path === undefined) return { kind: 'accepted', providerMessageIds: [ref] };
  const id = readScalar(readPath(json(response.body), config.id_path));
  // a 2xx without the promised id may or may not have been taken
  const isId = id !== null && id.trim() !== '' && id.length <= LONGEST_ID;
  return isId ? { kind: 'accepted', providerMessageIds: [id] } : { kind: 'unknown' };
}

function refusal(config: HttpRouteConfig, response: OutboundResponse): { code: number; text: string } {
  const body = config.error_code_path || config.error_text_path ? json(response.body) : null;
  const code = config.error_code_path ? asCode(readScalar(readPath(body, config.error_code_path))) : null;
  const text = config.error_text_path ? readScalar(readPath(body, config.error_text_path)) : null;
  return {
    code: code ?? response.status,
    text: text === null ? answered(response.status) : withoutSecrets(config, text).slice(0, LONGEST_TEXT),
  };
}

/** The gateway may quote our request: its secrets must not be shown. */
function withoutSecrets(config: HttpRouteConfig, text: string): string {
  let clean = text;
  for (const secret of [...Object.values(config.secrets), ...Object.values(config.headers)]) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, '***');
  }
  return clean;
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(keepInexact(body.toString('utf8')));
  } catch {
    return null;
  }
}
