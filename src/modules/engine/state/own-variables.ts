import type { Addressee } from '../recipient.js';

/** Variables of a recipient by name. */
export type Variables = NonNullable<Addressee['variables']>;

/** In what recipients of a campaign differ from it, as far as sending asks for it: `campaigns.own_kinds` is a sum of these. */
export const OWN_KIND = { routes: 1, senders: 2, variables: 4 } as const;

/** Recipients whose variables stand in one row: of a million recipients these are rows enough, and of one little to read. */
export const RECIPIENTS_A_BLOCK = 100;

const SEPARATOR = /[,;]/;

/** What is read through: the pool or a transaction. */
interface Source {
  query<T>(sql: string, values: unknown[]): Promise<T>;
}

interface OwnPlace {
  campaignId: number;
  /** 1 = the first */
  seq: number;
}

/**
 * The variables of a block as they are stored: the names, the length of each value, recipient after recipient, and then the
 * values, `name,city;3,4,5,0;AnnRomeMarie`. Nothing in it has to be escaped, neither here nor on the way to the server; 0 =
 * no value, as an empty one is none.
 * @returns null where none of them has any
 */
export function blockText(some: readonly (Variables | undefined)[]): string | null {
  const names = namesOf(some);
  if (names.length === 0) return null;
  if (names.some((name) => SEPARATOR.test(name))) throw new RangeError('names of variables have no separators');
  const count = some.length * names.length;
  const lengths = new Uint32Array(count);
  const values = new Array<string>(count);
  let place = 0;
  for (const variables of some) {
    for (const name of names) {
      const value = variables?.[name];
      const text = typeof value === 'string' ? value : ''; // what an object inherits is none
      lengths[place] = text.length;
      values[place++] = text;
    }
  }
  return `${names.join(',')};${listed(lengths)};${values.join('')}`;
}

const DIGITS = 10;
const ZERO = 48;
const COMMA = 44;

/** Numbers with commas between them, written as bytes: of a million recipients, a text of each number would be most of the work. */
function listed(numbers: Uint32Array): string {
  const bytes = Buffer.allocUnsafe(numbers.length * (DIGITS + 1));
  let at = 0;
  for (const number of numbers) {
    if (at > 0) bytes[at++] = COMMA;
    let unit = 1;
    while (unit * 10 <= number) unit *= 10;
    for (let rest = number; unit >= 1; unit /= 10) {
      const digit = Math.trunc(rest / unit);
      bytes[at++] = ZERO + digit;
      rest -= digit * unit;
    }
  }
  return bytes.toString('latin1', 0, at);
}

function namesOf(some: readonly (Variables | undefined)[]): string[] {
  const names: string[] = [];
  for (const variables of some) {
    let place = 0;
    // mostly the same ones come in the same order
    for (const name in variables) if (names[place++] !== name && !names.includes(name)) names.push(name);
  }
  return names;
}

/** The recipients of a block, as `blockText` has written them. */
export function readBlock(block: string): (Variables | undefined)[] {
  const namesEnd = block.indexOf(';');
  const lengthsEnd = block.indexOf(';', namesEnd + 1);
  const names = block.slice(0, namesEnd).split(',');
  const lengths = block
    .slice(namesEnd + 1, lengthsEnd)
    .split(',')
    .map(Number);
  const read: (Variables | undefined)[] = [];
  let from = lengthsEnd + 1;
  for (let first = 0; first < lengths.length; first += names.length) {
    const own: [name: string, value: string][] = [];
    for (const [at, name] of names.entries()) {
      const length = lengths[first + at] ?? 0;
      if (length > 0) own.push([name, block.slice(from, from + length)]);
      from += length;
    }
    read.push(own.length > 0 ? Object.fromEntries(own) : undefined);
  }
  return read;
}

export const blockOf = (seq: number): number => Math.floor((seq - 1) / RECIPIENTS_A_BLOCK);

/**
 * The variables of recipients whose campaigns have such, in one statement.
 * @returns by recipient; undefined for one that has none
 */
export async function variablesOf(
  source: Source,
  places: readonly OwnPlace[],
): Promise<(place: OwnPlace) => Variables | undefined> {
  if (places.length === 0) return () => undefined;
  const blocks = new Map<number, Set<number>>();
  for (const { campaignId, seq } of places) {
    const known = blocks.get(campaignId);
    if (known) known.add(blockOf(seq));
    else blocks.set(campaignId, new Set([blockOf(seq)]));
  }
  const rows = await source.query<{ id: number; block: number; variables: string }[]>(
    `SELECT campaign_id AS id, block, variables FROM recipient_variables
     WHERE ${[...blocks].map(() => '(campaign_id = ? AND block IN (?))').join(' OR ')}`,
    [...blocks].flatMap(([id, some]) => [id, [...some]]),
  );
  const read = new Map<number, Map<number, (Variables | undefined)[]>>([...blocks.keys()].map((id) => [id, new Map()]));
  for (const { id, block, variables } of rows) {
    read.get(id)?.set(block, readBlock(variables));
  }
  return ({ campaignId, seq }) => read.get(campaignId)?.get(blockOf(seq))?.[(seq - 1) % RECIPIENTS_A_BLOCK];
}
