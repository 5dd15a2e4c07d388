import { isObject } from '../../../../kernel/json-values.js';

export interface Refusal {
  code: string | null;
}

export const READ_CHARACTERS = 4_096;
const DEEPEST = 6;
const MOST_FIELDS = 500;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const FLAGS = words(
  'success successful issuccess issuccessful ok isok sent issent accepted isaccepted succeeded successcount sentcount acceptedcount',
);
const VERDICTS = words(
  'status state result outcome type response messagestatus smsstatus statustext statusname statusmessage responsestatus resultstatus groupname requeststatus sendstatus submitstatus deliverystatus ack',
);
const CODES = words(
  'code statuscode responsecode resultcode returncode retcode rc rescode respcode status result response state',
);
/** Codes by these names may count or name other things, so a plain success beside them is believed. */
const VAGUE_CODES = words('status result response state');
const SMPP_STATUSES = words('commandstatus smppstatus smppcode');
const TEXTS = words('message msg description desc detail details reason title info comment statusdescription');
const ECHOES = words('text body content sms messagetext messagebody smstext request input to from sender recipient');
const FAULTS =
  /^(?:is|has)?(?:err|error|errors|fault|faults|exception|failure|failures|failed|reject|rejected|rejections?|invalid\w*|(?:failed|error|rejected)count|(?:err|error|fault|failure|reject|rejection)(?:codes?|no|num|number|id|messages?|msg|text|string|str|desc|description|details?|reason|info|type|name|status))$/;
const FAULT_CODES = /^(?:err|error|fault|failure|reject|rejection)(?:codes?|no|num|number|id|status)?$/;

const GOOD =
  /^\W*(?:ok(?:ay)?|success\w*|succeeded|accepted|queued|enqueued|sent|submitted|scheduled|delivered|pending|process(?:ed|ing)|created|done|completed?|true|yes|none|null|nil|n\/a|no errors?|esme rok)\b(?!\s*[:=]\s*(?:false|no|0)\b)/i;
const BAD =
  /^\W*(?:err(?:or|o|eur)?s?(?=[\W\d]|$)|fehler|gagal|fail\w*|fault|reject\w*|refused|den(?:y|ied)|invalid\w*|illegal|bad\b|nok\b|ko\b|nack\w*|not? (?:ok|sent|accepted)\b|un(?:auth|success|able|known|deliver|registered|support)\w*|forbidden|exception|blocked|blacklist\w*|expired|insufficient|missing|exceeded|cannot\b|can't\b|could not\b|disabled|suspended|dnd\b|esme r(?!ok\b)|no (?:credit|balance|route|permission|access|such)|false\b)/i;
const BAD_WITHIN =
  /\b(?:errors?|failed|failure|fails|fehler|invalid|illegal|denied|rejected|refused|insufficient|unauthori[sz]ed|unauthenticated|unavailable|forbidden|unsuccessful|(?:do|does|did|was|were|is|are|has|have) not|not (?:enough|allowed|authori[sz]ed|permitted|accepted|sent|valid|found|exist|active|registered|supported|sufficient|available)|cannot|could not|unable to|incorrect|wrong|missing|required|blacklisted|blocked|suspended|disabled|expired|exceeded|too (?:long|many|short)|no (?:credits?|balance|route|permission)|esme r(?!ok\b))\b/i;
const GOOD_WITHIN = /\b(?:success\w*|accepted|queued|submitted)\b/i;
const NO_FAULT =
  /\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?|failed)\b|\b(?:errors?|err|failed|failures?|rejected)(?: ?(?:code|no|msg|message|string|text))?["']? ?[:=] ?["']?(?:0+|none|null|nil|false|no|ok|success\w*)?["']?(?=[\s,;|&}\]]|$)/gi;

const nameOf = (key: string): string =>
  key
    .toLowerCase()
    .replace(/^.*:/, '')
    .replace(/[^a-z0-9]/g, '');
const sentence = (text: string): string => text.replace(/[_\s]+/g, ' ').trim();
const saysFault = (text: string): boolean => BAD_WITHIN.test(sentence(text).replace(NO_FAULT, ' '));
const isZero = (text: string): boolean => /^[-+]?(?:0x)?0+(?:\.0+)?$/i.test(text);
const isCode = (text: string): boolean => /^[A-Za-z0-9_.:-]{1,32}$/.test(text) && /[0-9]|^[A-Z_]{3,}$/.test(text);
/** HTTP statuses of refusals, and negative numbers, which no gateway gives to what it took. */
const isFaultCode = (text: string): boolean => /^(?:-[1-9][0-9]{0,8}|[45][0-9]{2})$/.test(text);
const isSmppStatus = (text: string): boolean => /^0x0*[1-9a-f][0-9a-f]{0,3}$/i.test(text);

function scalar(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isNothing);
  const text = scalar(value);
  if (/^(?:true|yes)$/i.test(text)) return false;
  const isGood = GOOD.test(sentence(text)) || GOOD_WITHIN.test(sentence(text));
  return /^(?:|-|false|no|20[0-9])$/i.test(text) || isZero(text) || (isGood && !saysFault(text));
}

export const isSuccessCode = (code: string): boolean => isNothing(code);

/** Words and numbers that gateways write in place of an id. */
const NO_ID = /^(?:-\d+|0+|n\/?a|nil|none|null|undefined|false)$/i;

export const isId = (text: string): boolean => text !== '' && !NO_ID.test(text);

class Signs {
  private isRefused = false;
  private isAccepted = false;
  private isSpoken = false;
  private codes: { rank: number; code: string }[] = [];

  constructor(
    private readonly sent: string,
    private left = MOST_FIELDS,
  ) {}

  /** @param id of the answer: beside it only a plain fault without any sign of success is a refusal */
  refusal(id: string | null = null): Refusal | null {
    const isSure = this.isRefused && (id === null || !this.isAccepted);
    if (!isSure && (id !== null || !this.isSpoken || this.isAccepted)) return null;
    const [first] = this.codes.filter(({ code }) => code !== id).sort((a, b) => a.rank - b.rank);
    return { code: first?.code ?? null };
  }

  read(value: unknown, levels = DEEPEST): void {
    if (levels === 0 || this.left <= 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach((item) => this.read(item, levels - 1));
    const inner = new Signs(this.sent, this.left);
    for (const [key, field] of Object.entries(value)) {
      inner.left -= 1;
      const name = nameOf(key);
      if (FAULTS.test(name)) inner.fault(name, field, levels);
      else if (typeof field === 'object') inner.read(field, levels - 1);
      else if (!ECHOES.has(name)) inner.field(name, field);
    }
    this.left = inner.left;
    this.isRefused ||= inner.isRefused;
    this.isAccepted ||= inner.isAccepted;
    this.isSpoken ||= inner.isSpoken;
    for (const { rank, code } of inner.codes) this.codes.push({ rank: inner.isRefused ? rank - 10 : rank, code });
  }

  fault(name: string, value: unknown, levels = DEEPEST): void {
    if (isObject(value)) {
      const codes = Object.entries(value).filter(([key]) => CODES.has(nameOf(key)) || FAULT_CODES.test(nameOf(key)));
      this.isRefused ||= codes.length > 0 ? !codes.every(([, code]) => isNothing(code)) : !isNothing(value);
    } else this.isRefused ||= !isNothing(value);
    if (typeof value === 'object') this.read(value, levels - 1);
    else if (FAULT_CODES.test(name) && !isNothing(value) && value !== true) this.code(name.length > 6 ? 0 : 1, value);
  }

  private field(name: string, value: unknown): void {
    const text = scalar(value);
    const said = sentence(text);
    if (FLAGS.has(name)) {
      if (/^(?:false|no|n|0)$/i.test(text)) this.isRefused = true;
      else this.isAccepted ||= text !== '';
    } else if (
      SMPP_STATUSES.has(name) ? !isNothing(value) : CODES.has(name) && (isFaultCode(text) || isSmppStatus(text))
    ) {
      if (VAGUE_CODES.has(name) && !isSmppStatus(text)) this.isSpoken = true;
      else this.isRefused = true;
      this.code(2, text);
    } else if (VERDICTS.has(name) || CODES.has(name)) {
      if (BAD.test(said) || value === false) this.isRefused = true;
      else if (GOOD.test(said) || value === true || /^2[0-9]{2}$/.test(text)) this.isAccepted = true;
      if (CODES.has(name)) this.code(/^[a-z]/i.test(text) ? 4 : 3, text);
    } else if (name === 'id') {
      if (/^-?[0-9]{1,6}$/.test(text)) this.code(5, text);
    } else if (TEXTS.has(name) && !repeats(text, this.sent)) {
      if (BAD.test(said) || (saysFault(text) && !GOOD.test(said))) this.isSpoken = true;
      else this.isAccepted ||= GOOD.test(said);
    }
  }

  private code(rank: number, value: unknown): void {
    const code = scalar(value);
    if (isCode(code)) this.codes.push({ rank, code });
  }
}

const repeats = (text: string, sent: string): boolean =>
  sent.length >= 3 && text.length >= 3 && (sent.includes(text) || text.includes(sent));

const PAIR = /(?:^|[\s,;|&{])["']?(?!ok\b)([A-Za-z][A-Za-z0-9_.-]{0,40})["']?\s?[:=]\s?["']?([^\s,;|&"'}]{1,64})/gi;

function refusalOfText(answer: string, sent: string): Refusal | null {
  const bare = answer.startsWith('<') ? answer.replace(/<[^>]{0,200}>/g, ' ') : answer;
  const text = (sent.length >= 3 ? bare.replaceAll(sent, ' ') : bare).trim();
  if (/^-[1-9][0-9]{0,8}$/.test(text) || isSmppStatus(text)) return { code: text };
  const fields = new Signs('');
  fields.read(Object.fromEntries([...text.matchAll(PAIR)].map(([, key = '', value = '']) => [key, value])));
  const said = sentence(text).replace(NO_FAULT, ' ');
  const isBad = BAD.test(said) || (!GOOD.test(said) && BAD_WITHIN.test(said));
  const refusal = fields.refusal();
  if (!refusal && !isBad) return null;
  return { code: refusal?.code ?? codeOf(text) };
}

const CODE_BEHIND =
  /^\W*[A-Za-z_]+(?:[\s_](?:code|no|number))?["']?[\s:=|,#([-]+(-?(?:0x)?[0-9][0-9A-Fa-f]{0,8}|[A-Z]{1,6}[-_]?[0-9]{1,6})\b/;
const CODE_FIRST = /^\W*(-?[0-9]{1,9}|[A-Z]{1,6}[-_]?[0-9]{1,6})\b/;
const CODE_MARKED = /\b(?:code|error|err|status)["']?[\s:=#(]+(-?[0-9]{1,9})\b/i;
const CODE_NAMED = /\besme_r\w+/i;

function codeOf(text: string): string | null {
  for (const pattern of [CODE_BEHIND, CODE_FIRST, CODE_MARKED]) {
    const code = pattern.exec(text)?.[1];
    if (code !== undefined) return code;
  }
  return CODE_NAMED.exec(text)?.[0] ?? null;
}

const PAGE = /^\s*<(?:!doctype html|html)\b/i;

/** A page without a word of success: of a proxy, a login or an address that is no gateway's. It says nothing of the message. */
export const isForeignPage = (answer: string): boolean => {
  if (!PAGE.test(answer)) return false;
  const text = sentence(answer.slice(0, READ_CHARACTERS).replace(/<[^>]{0,200}>/g, ' '));
  return !GOOD.test(text) && !/\b(?:ok|sent|success\w*|accepted|queued|submitted)\b/i.test(text);
};

/**
 * The refusal in an answer of 2xx, or null (reference/providers#answers-of-http-gateways). @param tree the answer as JSON or
 * XML, undefined if it is neither @param sent our text, which an answer may repeat @param id the message's, if it has one
 */
export function refusalIn(answer: string, tree: unknown, sent: string, id: string | null = null): Refusal | null {
  if (typeof tree !== 'object' || tree === null || PAGE.test(answer))
    return id !== null ? null : refusalOfText(answer.slice(0, READ_CHARACTERS).trim(), sent);
  const signs = new Signs(sent);
  signs.read(tree);
  return signs.refusal(id);
}

/** The refusal in an object or list that stands where the route expects the code of an error. */
export function refusalAt(value: unknown): Refusal | null {
  const signs = new Signs('');
  signs.fault('error', value);
  return signs.refusal();
}
