import { cutCodePoints } from './text.js';

export const MAKER_KINDS = ['account', 'person', 'key', 'staff'] as const;

export type MakerKind = (typeof MAKER_KINDS)[number];

/** Creator of an object: the account, a person under it, one of its keys, or staff of the operator or reseller. */
export interface Maker {
  kind: MakerKind;
  /** of the account, the person or the key; null = hidden */
  id: number | null;
  name: string | null;
}

/** Length of the column `created_by`. */
export const LONGEST_MAKER = 128;

const TEXT = /^(\w+):(\d+):(.*)$/s;

/** Value of a `created_by` column: `person:12:jane`. It keeps the name after the maker is deleted. */
export const makerText = ({ kind, id, name }: Maker): string =>
  cutCodePoints(`${kind}:${id ?? 0}:${name ?? ''}`, LONGEST_MAKER);

/** Prefix of a maker's `created_by` values, independent of the name. */
export const makerPrefix = (kind: MakerKind, id: number): string => `${kind}:${id}:`;

/** Reads a `created_by` value; null if the service made the object, or before makers were stored. */
export function readMaker(text: string | null): Maker | null {
  const [, word, id, name] = TEXT.exec(text ?? '') ?? [];
  const kind = MAKER_KINDS.find((known) => known === word);
  return kind === undefined ? null : { kind, id: Number(id), name: name ?? null };
}

/** A maker as shown to the owner: staff stay anonymous. */
export function makerForOwner(text: string | null): Maker | null {
  const maker = readMaker(text);
  return maker?.kind === 'staff' ? { kind: 'staff', id: null, name: null } : maker;
}
