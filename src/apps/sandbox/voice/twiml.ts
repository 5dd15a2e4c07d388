export interface TwimlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly TwimlElement[];
  text: string;
}

/** Unreadable TwiML (the carrier's error 12100). */
export class TwimlFault extends Error {}

const TAG =
  /<(?:!--[\s\S]*?--|\?[\s\S]*?\?|!\[CDATA\[([\s\S]*?)\]\]|(\/)?([A-Za-z][\w-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/)?)>/g;
const ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITY = /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));|&/gi;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

interface OpenElement extends TwimlElement {
  children: TwimlElement[];
}

/** Parses a document strictly: well-formed, one `Response`. Throws TwimlFault. */
export function readTwiml(document: string): TwimlElement {
  const text = document.replace(/^\uFEFF/, '');
  const root: OpenElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let at = 0;
  for (const match of text.matchAll(TAG)) {
    const [tag, verbatim, closing, name = '', attributes = '', selfClosing] = match;
    addText(open, text.slice(at, match.index));
    at = match.index + tag.length;
    if (verbatim !== undefined) addVerbatim(open, verbatim);
    else if (closing) close(open, name);
    else if (name !== '') {
      const element: OpenElement = { name, attributes: readAttributes(attributes), children: [], text: '' };
      open.at(-1)?.children.push(element);
      if (!selfClosing) open.push(element);
    }
  }
  addText(open, text.slice(at));
  const [response, ...others] = root.children;
  if (open.length > 1) throw new TwimlFault(`<${open.at(-1)?.name ?? ''}> is not closed`);
  if (response?.name !== 'Response' || others.length > 0 || root.text.trim() !== '') {
    throw new TwimlFault('not one <Response>');
  }
  return response;
}

function close(open: OpenElement[], name: string): void {
  if (open.length < 2 || open.pop()?.name !== name) throw new TwimlFault(`</${name}> closes nothing`);
}

function addText(open: OpenElement[], text: string): void {
  if (text.includes('<')) throw new TwimlFault('a tag that is none');
  addVerbatim(open, unescape(text));
}

function addVerbatim(open: OpenElement[], text: string): void {
  const element = open.at(-1);
  if (element) element.text += text;
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [name, unescape(double ?? single ?? '')]),
  );

const unescape = (text: string): string =>
  text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    const known = NAMED.get(name ?? '');
    if (known === undefined) throw new TwimlFault('an entity that is none');
    return known;
  });

const URL_METHODS = ['action', 'method'];
const RECORDING = ['recordingStatusCallback', 'recordingStatusCallbackMethod', 'recordingStatusCallbackEvent'];

interface Rule {
  attributes: readonly string[];
  children: readonly string[];
  numbers?: Readonly<Record<string, readonly [number, number]>>;
}

// The part of TwiML that a keypad menu needs, as the carrier documents it.
const RULES: Readonly<Record<string, Rule>> = {
  Response: {
    attributes: [],
    children: ['Play', 'Say', 'Pause', 'Gather', 'Dial', 'Record', 'Redirect', 'Hangup', 'Reject'],
  },
  Play: { attributes: ['loop', 'digits'], children: [] },
  Say: { attributes: ['voice', 'language', 'loop'], children: [] },
  Pause: { attributes: ['length'], children: [], numbers: { length: [1, 600] } },
  Gather: {
    attributes: [...URL_METHODS, 'input', 'timeout', 'finishOnKey', 'numDigits', 'actionOnEmptyResult'],
    children: ['Play', 'Say', 'Pause'],
    numbers: { timeout: [0, 600], numDigits: [1, 1_000] },
  },
  Dial: {
    attributes: [
      ...URL_METHODS,
      'callerId',
      'timeLimit',
      'timeout',
      'hangupOnStar',
      'record',
      'answerOnBridge',
      ...RECORDING,
    ],
    children: ['Number'],
    numbers: { timeLimit: [1, 14_400], timeout: [5, 600] },
  },
  Number: { attributes: ['sendDigits', 'url', 'method'], children: [] },
  Record: {
    attributes: [...URL_METHODS, 'timeout', 'finishOnKey', 'maxLength', 'playBeep', 'trim', ...RECORDING],
    children: [],
    numbers: { timeout: [0, 600], maxLength: [1, 14_400] },
  },
  Redirect: { attributes: ['method'], children: [] },
  Hangup: { attributes: [], children: [] },
  Reject: { attributes: ['reason'], children: [] },
};

/** Faults of an element and its children that the carrier's debugger would show (errors from 12200). */
export function faultsOf(element: TwimlElement): string[] {
  const rule = Object.hasOwn(RULES, element.name) ? RULES[element.name] : undefined;
  if (!rule) return [`<${element.name}> is no verb`];
  const unknown = Object.keys(element.attributes).filter((name) => !rule.attributes.includes(name));
  const misplaced = element.children.filter(({ name }) => !rule.children.includes(name));
  const odd = Object.entries(rule.numbers ?? {}).filter(([name, [least, most]]) => {
    const value = element.attributes[name];
    return value !== undefined && !(/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most);
  });
  return [
    ...unknown.map((name) => `<${element.name}> has no attribute ${name}`),
    ...odd.map(([name]) => `<${element.name} ${name}> is out of range`),
    ...misplaced.map(({ name }) => `<${element.name}> takes no <${name}>`),
    ...element.children.filter((child) => !misplaced.includes(child)).flatMap(faultsOf),
  ];
}
