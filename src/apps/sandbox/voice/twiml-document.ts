/** An element of a TwiML document. */
export interface TwimlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly TwimlElement[];
  /** what stands between its tags, without the children's */
  text: string;
}

/** The network cannot read what it was given (its error 12100). */
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

/** Reads a document strictly: one `Response`, well-formed. @throws TwimlFault */
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
