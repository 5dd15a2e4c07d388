import { type FieldTest, depthOf } from './json-values.js';
import {
  JsonLoad,
  afterSpace,
  CLOSE,
  COLON,
  COMMA,
  endOfMatch,
  endOfName,
  endOfText,
  endOfValue,
  LITERAL,
  NONE,
  OPEN,
  QUOTE,
  quoteAfter,
  type Units,
} from './json-text.js';

// An item with one more different field name is parsed.
const MOST_NAMES = 1_000;
// Bits of `own`: an item with one more field of its own is parsed.
const MOST_OWN = 30;

// Words of `items` for each item: begin and end of its text, begin and end of its fields.
const ITEM = 4;
// Words of `fields` for each field: name << 1 | "value needs parsing", then begin and end of the value, quotes included.
const FIELD = 3;
const ABSENT = -2;

interface FieldName {
  name: string;
  // index of the field whose object holds this one; NONE = the item itself
  outer: number;
  // index among the items' own fields; NONE = an inner field
  own: number;
}

// Making and collecting an object for each of 100,000 recipients costs more than reading each twice.
export class JsonRecords {
  /** all items; those beyond `most` are counted only */
  length = 0;
  /** nesting depth, the item included */
  deepest = 0;
  readonly load = new JsonLoad();
  private kept = 0;
  private items: Uint32Array<ArrayBuffer>;
  private fields: Uint32Array<ArrayBuffer>;
  private written = 0;
  private readonly names: FieldName[] = [];
  private readonly byName = new Map<string, number>();
  private ownNames = 0;
  // bits of the current item's own fields
  private own = 0;
  private usual = 0;

  constructor(
    private readonly text: string,
    private units: Units,
    private readonly most: number,
  ) {
    // Sized for a number and two variables in each item; larger arrays are rarely needed.
    this.items = new Uint32Array(Math.min(most, text.length >> 6) * ITEM + ITEM);
    this.fields = new Uint32Array((text.length >> 5) * FIELD + FIELD);
  }

  /** An item as `JSON.parse` makes it. Throws RangeError if it was not kept. */
  item(index: number): unknown {
    if (index >= this.kept) throw new RangeError(`item ${index} of ${this.kept} that were kept`);
    return JSON.parse(this.text.slice(this.items[index * ITEM], this.items[index * ITEM + 1]));
  }

  *[Symbol.iterator](): Generator<unknown, void, undefined> {
    for (let index = 0; index < this.kept; index++) yield this.item(index);
  }

  /** Whether an item holds only texts, numbers, true, false, null and objects of these. */
  isPlain(index: number): boolean {
    return this.firstOf(index) < this.endOf(index);
  }

  /** Index of an item's own field, for the methods below. */
  field(name: string): number {
    return this.byName.get(keyOf(name, NONE)) ?? ABSENT;
  }

  /** The value of a plain item's own field; undefined if it is absent or an object. */
  valueOf(index: number, own: number): unknown {
    const end = this.endOf(index);
    for (let at = this.firstOf(index); at < end; at += FIELD) {
      if ((this.fields[at] as number) >> 1 === own) return this.valueAt(at);
    }
    return undefined;
  }

  /** Whether the object in a plain item's field has at most `most` fields and all pass the test; true if it is absent. */
  hasFields(index: number, own: number, most: number, test: FieldTest): boolean {
    let count = 0;
    const end = this.endOf(index);
    for (let at = this.firstOf(index); at < end; at += FIELD) {
      const { name, outer } = this.names[(this.fields[at] as number) >> 1] as FieldName;
      if (outer !== own) continue;
      if (++count > most) return false;
      if (!this.isTold(at, name, test) && !test.value(name, this.valueAt(at))) return false;
    }
    return true;
  }

  private isTold(at: number, name: string, test: FieldTest): boolean {
    if (((this.fields[at] as number) & 1) !== 0) return false;
    const from = (this.fields[at + 1] as number) + 1;
    const length = (this.fields[at + 2] as number) - 1 - from;
    return length > 0 && test.text(name, length, this.text.charCodeAt(from));
  }

  /** The object in a plain item's field, values as texts; undefined if absent or empty. */
  textsOf(index: number, own: number): Record<string, string> | undefined {
    let texts: Record<string, string> | undefined;
    const end = this.endOf(index);
    for (let at = this.firstOf(index); at < end; at += FIELD) {
      const { name, outer } = this.names[(this.fields[at] as number) >> 1] as FieldName;
      if (outer === own) (texts ??= {})[name] = String(this.valueAt(at));
    }
    return texts;
  }

  /** Ends the list and frees what was needed to read it. */
  ended(): this {
    this.units = new Uint8Array(0);
    this.items = this.items.slice(0, this.kept * ITEM);
    this.fields = this.fields.slice(0, this.written);
    return this;
  }

  /** Adds the item at `from`. Returns its end, NONE if it is not JSON. Throws TooMuchJson. */
  add(from: number): number {
    this.load.addItem();
    const before = this.written;
    this.own = 0;
    this.usual = 0;
    let end = this.readFields(from, NONE);
    if (end === NONE) {
      this.written = before;
      end = this.endOfParsed(from);
      if (end === NONE) return NONE;
    }
    this.length += 1;
    if (this.kept < this.most) this.keep(from, end, before);
    else this.written = before;
    return end;
  }

  // Returns the end of the object; NONE if it is not an object, or not plain.
  private readFields(from: number, outer: number): number {
    const { units } = this;
    if (units[from] !== OPEN) return NONE;
    const depth = outer === NONE ? 1 : 2;
    if (this.deepest < depth) this.deepest = depth;
    let at = afterSpace(units, from + 1);
    if (units[at] === CLOSE) return at + 1;
    for (;;) {
      const usual = this.usual < this.names.length ? (this.names[this.usual] as FieldName) : null;
      let field = this.usual;
      let close = usual && usual.outer === outer ? endOfName(usual.name, units, at) : NONE;
      if (close === NONE) {
        close = endOfText(units, at);
        if (close === NONE) return NONE;
        field = this.fieldOf(at + 1, close - 1, outer);
        if (field === NONE) return NONE;
      }
      this.usual = field + 1;
      if (outer === NONE && !this.isFirst(field)) return NONE;
      at = afterSpace(units, close);
      if (units[at] !== COLON) return NONE;
      at = afterSpace(units, at + 1);
      const isInner = outer === NONE && units[at] === OPEN;
      const end = isInner ? this.readFields(at, field) : this.readValue(at, field);
      if (end === NONE) return NONE;
      at = afterSpace(units, end);
      const next = units[at];
      if (next === CLOSE) return at + 1;
      if (next !== COMMA) return NONE;
      at = afterSpace(units, at + 1);
    }
  }

  private readValue(from: number, field: number): number {
    const { units, text } = this;
    const isText = units[from] === QUOTE;
    const end = isText ? endOfText(units, from) : NONE;
    if (end !== NONE) {
      this.write(field << 1, from, end);
      return end;
    }
    const parsedEnd = isText ? quoteAfter(units, from + 1) + 1 : endOfMatch(LITERAL, text, from);
    if (parsedEnd === NONE || (isText && parsed(text.slice(from, parsedEnd)) === undefined)) return NONE;
    this.write((field << 1) | 1, from, parsedEnd);
    return parsedEnd;
  }

  // A repeated name is rare: the parser applies "the last one counts".
  private isFirst(field: number): boolean {
    const { own } = this.names[field] as FieldName;
    const bit = 1 << own;
    if (own >= MOST_OWN || (this.own & bit) !== 0) return false;
    this.own |= bit;
    return true;
  }

  private write(named: number, from: number, end: number): void {
    const at = this.written;
    if (at + FIELD > this.fields.length) this.fields = twice(this.fields);
    this.fields[at] = named;
    this.fields[at + 1] = from;
    this.fields[at + 2] = end;
    this.written = at + FIELD;
  }

  private keep(from: number, end: number, fields: number): void {
    const at = this.kept * ITEM;
    if (at + ITEM > this.items.length) this.items = twice(this.items);
    this.items[at] = from;
    this.items[at + 1] = end;
    this.items[at + 2] = fields;
    this.items[at + 3] = this.written;
    this.kept += 1;
  }

  private fieldOf(begin: number, end: number, outer: number): number {
    const { names } = this;
    const name = this.text.slice(begin, end);
    const key = keyOf(name, outer);
    const known = this.byName.get(key);
    if (known !== undefined) return known;
    // An object would take this name for its prototype.
    if (name === '__proto__' || names.length === MOST_NAMES) return NONE;
    this.byName.set(key, names.length);
    return names.push({ name, outer, own: outer === NONE ? this.ownNames++ : NONE }) - 1;
  }

  private firstOf(index: number): number {
    return this.items[index * ITEM + 2] as number;
  }

  private endOf(index: number): number {
    return this.items[index * ITEM + 3] as number;
  }

  private valueAt(at: number): unknown {
    const [from, end] = [this.fields[at + 1] as number, this.fields[at + 2] as number];
    const isText = ((this.fields[at] as number) & 1) === 0;
    return isText ? this.text.slice(from + 1, end - 1) : JSON.parse(this.text.slice(from, end));
  }

  // Parses an item that is not plain.
  private endOfParsed(from: number): number {
    const end = endOfValue(this.units, from);
    if (end === NONE) return NONE;
    this.load.addParsed(this.units, from, end);
    const value = parsed(this.text.slice(from, end));
    if (value === undefined) return NONE;
    this.deepest = Math.max(this.deepest, depthOf(value));
    return end;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function twice(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
}

const keyOf = (name: string, outer: number): string => `${outer} ${name}`;
