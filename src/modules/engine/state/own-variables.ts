import type { Addressee } from '../recipient.js';

export type Variables = NonNullable<Addressee['variables']>;

/** Bits of `campaigns.own_kinds`: how recipients differ from the campaign in sending. */
export const OWN_KIND = { routes: 1, senders: 2, variables: 4 } as const;

/** Recipients per row: few rows for large campaigns, little to read for one recipient. */
export const RECIPIENTS_A_BLOCK = 100;

const SEPARATOR = /[,;]/;

interface Source {
  query<T>(sql: string, values: unknown[]): Promise<T>;
}

interface VariablesKey {
  campaignId: number;
  seq: number;
}

/** Stored form of a block: names, lengths (0 = no value), values: `name,city;3,4,5,0;AnnRomeMarie`; null = no variables. */
export function blockText(some: readonly (Variables | undefined)[]): string | null {
  const names = namesOf(some);
  if (names.length === 0) return null;
  if (names.some((name) => SEPARATOR.test(name))) throw new RangeError('names of variables have no separators');
  const count = some.length * names.length;
  const lengths = new Uint32Array(count);
  const values = new Array<string>(count);
  let index = 0;
  for (const variables of some) {
    for (const name of names) {
      const value = variables?.[name];
      const text = typeof value === 'string' ? value : ''; // inherited properties are no values
      lengths[index] = text.length;
      values[index++] = text;
    }
  }
  return `${names.join(',')};${listed(lengths)};${values.join('')}`;
}

const DIGITS = 10;
const ZERO = 48;
const COMMA = 44;

/** Joins numbers as bytes: a string per number would dominate the cost for a million recipients. */
function listed(numbers: Uint32Array): string {
  const bytes = Buffer.allocUnsafe(numbers.length * (DIGITS + 1));
  let at = 0;
  for (const number of numbers) {
    if (at > 0) bytes[at++] = COMMA;
    let unit = 1;
    while (unit * 10 <= number) unit *= 10;
    for (let remaining = number; unit >= 1; unit /= 10) {
      const digit = Math.trunc(remaining / unit);
      bytes[at++] = ZERO + digit;
      remaining -= digit * unit;
    }
  }
  return bytes.toString('latin1', 0, at);
}

function namesOf(some: readonly (Variables | undefined)[]): string[] {
  const names: string[] = [];
  for (const variables of some) {
    let index = 0;
    for (const name in variables) if (names[index++] !== name && !names.includes(name)) names.push(name);
  }
  return names;
}

/** Reverse of `blockText`. */
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

const blockOf = (seq: number): number => Math.floor((seq - 1) / RECIPIENTS_A_BLOCK);

/** Variables by recipient, in one statement; undefined = none. */
export async function variablesOf(
  source: Source,
  keys: readonly VariablesKey[],
): Promise<(key: VariablesKey) => Variables | undefined> {
  if (keys.length === 0) return () => undefined;
  const blocks = new Map<number, Set<number>>();
  for (const { campaignId, seq } of keys) {
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
