import type { Matcher, RE2JS } from 're2js';
import { keepInexact, objectOrEmpty } from '../../../../kernel/json-values.js';
import { digitsOf } from '../../../../kernel/contacts.js';
import { isGsmText } from '../../../../kernel/gsm-alphabet.js';
import { readXml } from '../../../../platform/http/index.js';
import type { OutboundResponse } from '../../../../platform/outbound/index.js';
import { TypeOfNumber } from '../../../../platform/smpp/index.js';
import type {
  CallbackContent,
  DroppedEntry,
  InboundSms,
  ProviderCallback,
  Receipt,
  SendOutcome,
} from '../../message-driver.js';
import {
  type MappedStatus,
  numericCode,
  orElsewhere,
  outcomeOfAnswer,
  type ReceiptTerms,
  statusWords,
  storedId,
  textCode,
  underTerms,
  type Verdict,
  verdictOf,
} from '../carrier-answers.js';
import { deliveryOf, ID_REPEATABLE_MS } from '../inbound-delivery.js';
import { readPath, readScalar } from '../request-template.js';
import {
  isForeignPage,
  isId,
  isSuccessCode,
  READ_CHARACTERS,
  type Refusal,
  refusalAt,
  refusalIn,
} from './answer-signs.js';
import {
  compilePattern,
  type HttpInboundConfig,
  type HttpReceiptConfig,
  type HttpRouteConfig,
  USUAL_STATUSES,
} from './http-config.js';

const LONGEST_TEXT = 200;
const DEFAULTS: HttpReceiptConfig = { id_path: 'id', status_path: 'status' };
const INBOUND_DEFAULTS: HttpInboundConfig = { from_path: 'from', to_path: 'to', text_path: 'text' };

/** Receipts and texts of a callback, and why its other entries count for nothing. */
export function readCallback(
  {
    receipt = DEFAULTS,
    inbound = INBOUND_DEFAULTS,
    ...terms
  }: Pick<HttpRouteConfig, 'inbound' | 'receipt'> & ReceiptTerms,
  callback: ProviderCallback,
): CallbackContent {
  const { method, query, body } = callback;
  const fields = method === 'GET' ? query : { ...query, ...objectOrEmpty(body) };
  const wholeOf = (listPath: string | undefined): unknown =>
    listPath === undefined && Array.isArray(body) ? body : fields;
  const words = statusWords(USUAL_STATUSES, receipt.status_map);
  const content: CallbackContent = { receipts: [], texts: [], dropped: [] };
  const texts = new Set<unknown>();
  for (const entry of entries(wholeOf(inbound.list_path), inbound.list_path)) {
    const source = at(entry, inbound.from_path)?.trim() ?? '';
    const text = at(entry, inbound.text_path);
    const isReceipt = words.has(at(entry, receipt.status_path)?.toLowerCase() ?? '');
    if (source === '' || text === null || isReceipt) continue;
    content.texts.push({ from: digitsOf(source), text, sms: smsOf(inbound, entry, source, text) });
    texts.add(entry);
  }
  for (const entry of entries(wholeOf(receipt.list_path), receipt.list_path)) {
    if (texts.has(entry)) continue;
    const read = readReceipt(receipt, words, entry);
    if ('reason' in read) content.dropped.push(read);
    else content.receipts.push(underTerms(read, terms));
  }
  if (content.receipts.length + content.texts.length + content.dropped.length === 0)
    content.dropped.push({ reason: 'no_entry', word: null });
  return content;
}

function smsOf(paths: HttpInboundConfig, entry: unknown, source: string, text: string): InboundSms {
  const to = at(entry, paths.to_path)?.trim() ?? '';
  const id = at(entry, paths.message_id_path);
  return {
    ...{ source, ton: TypeOfNumber.Unknown, to, encoding: isGsmText(text) ? 'gsm7' : 'ucs2', part: null },
    delivery: id === null ? deliveryOf(['content', entry], null) : deliveryOf(['id', id], 0, ID_REPEATABLE_MS),
  };
}

function readReceipt(
  paths: HttpReceiptConfig,
  words: ReadonlyMap<string, MappedStatus>,
  entry: unknown,
): Receipt | DroppedEntry {
  const id = readScalar(readPath(entry, paths.id_path));
  if (id === null) return { reason: 'no_id', word: null };
  const word = at(entry, paths.status_path);
  const mapped = words.get(word?.toLowerCase() ?? '');
  if (!mapped) return { reason: 'unknown_status', word };
  const { status } = mapped;
  const failed = status === 'failed';
  const receiver = digitsOf(at(entry, paths.receiver_path) ?? '');
  const code = at(entry, paths.error_code_path);
  return {
    providerMessageId: id,
    status,
    errorCode: failed ? (numericCode(code) ?? mapped.code) : null,
    ...(failed && textCode(code)),
    errorText: failed ? (at(entry, paths.error_text_path)?.slice(0, LONGEST_TEXT) ?? 'Failed at the carrier') : null,
    receiver: receiver === '' ? null : receiver,
  };
}

/** @param source query and fields together, the same object at each reading: so a text is known again */
function entries(source: unknown, listPath: string | undefined): unknown[] {
  if (listPath === undefined && Array.isArray(source)) return source;
  if (listPath === undefined) return [source];
  const list = readPath(source, listPath);
  return Array.isArray(list) ? list : list === undefined ? [] : [list];
}

const at = (entry: unknown, path: string | undefined): string | null =>
  path === undefined ? null : readScalar(readPath(entry, path));

const LONGEST_ID = 128;

const answered = (status: number): string => `Gateway answered ${status}`;
const REFUSED = 'Refused by the gateway';

/** Staff read these as the route's state, so the gateway's text is not quoted. */
const OWN_WORDS: Readonly<Partial<Record<Verdict, (status: number) => { code: number; text: string }>>> = {
  busy: (code) => ({ code, text: 'Throttled by the gateway' }),
  unreached: (code) => ({ code, text: answered(code) }),
};

export class GatewayAnswers {
  private readonly acceptedPattern: RE2JS | null;
  private readonly refusedPattern: RE2JS | null;
  private readonly acceptedCodes: ReadonlySet<string>;

  constructor(private readonly config: HttpRouteConfig) {
    const { accepted_pattern: accepted, refused_pattern: refused, accepted_codes: codes } = config;
    this.acceptedPattern = accepted === undefined ? null : compilePattern(accepted);
    this.refusedPattern = refused === undefined ? null : compilePattern(refused);
    this.acceptedCodes = new Set(codes.map((code) => String(code).toLowerCase()));
  }

  /** @param message its `ref` is the id where the route names none; an answer may repeat its text */
  outcomeOf(response: OutboundResponse, message: { ref: string; text: string }): SendOutcome {
    const { status, headers } = response;
    const text = response.body.toString('utf8').replace(/^\ufeff/, '');
    const tree = readAnswer(text);
    if (status >= 200 && status < 300) return this.ofSuccess(status, text, tree, message);
    const retryAfter = headers['retry-after'];
    const own = this.codeIn(tree);
    const said = OWN_WORDS[verdictOf(status, retryAfter)]?.(status) ?? {
      ...textCode(own),
      code: numericCode(own) ?? status,
      text: this.textIn(tree) ?? answered(status),
    };
    const outcome = outcomeOfAnswer(status, { ...said, retryAfter });
    return orElsewhere(outcome, this.config.failover_codes, [status, own]);
  }

  private ofSuccess(status: number, text: string, tree: unknown, message: { ref: string; text: string }): SendOutcome {
    const head = text.slice(0, READ_CHARACTERS);
    const code = this.codeIn(tree);
    if (code !== null && !this.isSuccess(code, status)) return this.refused(code, tree);
    const fault = this.faultIn(tree);
    if (fault) return this.refused(fault.code, tree);
    const refused = this.refusedPattern?.matcher(head);
    if (refused?.find()) return this.refused(groupOf(refused, 'code') ?? firstGroup(refused) ?? code, tree);
    const accepted = this.acceptedPattern?.matcher(head);
    const isAccepted = accepted?.find() ?? false;
    const { id_path: idPath } = this.config;
    const id = ((isAccepted && accepted ? groupOf(accepted, 'id') : null) ?? at(tree, idPath) ?? '').trim();
    const hasId = isId(id) && id.length <= LONGEST_ID && (isAccepted || !accepted);
    if (!hasId && isAccepted && idPath === undefined) return { kind: 'accepted', providerMessageIds: [message.ref] };
    const isSure = isAccepted || (code !== null && (hasId || this.acceptedCodes.size > 0));
    const refusal = isSure ? null : refusalIn(text, tree, message.text, hasId ? id : null);
    if (refusal) return this.refused(refusal.code, tree);
    if (hasId) return { kind: 'accepted', providerMessageIds: [storedId(id, this.config)] };
    // a 2xx without the promised id, of neither pattern, or a page of something else, may or may not have been taken
    return idPath === undefined && !accepted && !isForeignPage(text)
      ? { kind: 'accepted', providerMessageIds: [message.ref] }
      : { kind: 'unknown' };
  }

  private refused(code: string | null, tree: unknown): SendOutcome {
    const said = { ...textCode(code), code: numericCode(code), text: this.textIn(tree) ?? REFUSED };
    return orElsewhere({ kind: 'rejected', ...said, submitted: true }, this.config.failover_codes, [code]);
  }

  /** A gateway that repeats the HTTP status, or says zero or a word of success, has taken the message. */
  private isSuccess(code: string, status: number): boolean {
    if (this.acceptedCodes.size > 0) return this.acceptedCodes.has(code.toLowerCase());
    return isSuccessCode(code) || code === String(status);
  }

  private codeIn(tree: unknown): string | null {
    const { error_code_path: path } = this.config;
    if (path === undefined) return null;
    const value = readPath(tree, path);
    return typeof value === 'boolean' ? String(value) : readScalar(value);
  }

  /** An object or a list at `error_code_path` that is not empty, and whose codes are no success. */
  private faultIn(tree: unknown): Refusal | null {
    const { error_code_path: path } = this.config;
    const value = path === undefined ? undefined : readPath(tree, path);
    return typeof value === 'object' && value !== null ? refusalAt(value) : null;
  }

  private textIn(tree: unknown): string | null {
    const text = at(tree, this.config.error_text_path);
    return text === null ? null : withoutSecrets(this.config, text).slice(0, LONGEST_TEXT);
  }
}

const groupOf = (matcher: Matcher, name: string): string | null =>
  Object.hasOwn(matcher.pattern().namedGroups(), name) ? emptyAsNull(matcher.group(name)) : null;
const firstGroup = (matcher: Matcher): string | null =>
  matcher.groupCount() === 0 ? null : emptyAsNull(matcher.group(1));
const emptyAsNull = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text.trim());

/** The gateway may quote our request: its secrets must not be shown. */
function withoutSecrets(config: HttpRouteConfig, text: string): string {
  let clean = text;
  for (const secret of [...Object.values(config.secrets), ...Object.values(config.headers)]) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, '***');
  }
  return clean;
}

function readAnswer(text: string): unknown {
  const head = text.trimStart();
  if (head.startsWith('<')) return readXml(head) ?? undefined;
  try {
    return JSON.parse(keepInexact(text));
  } catch {
    return undefined;
  }
}
