import { cutCodePoints } from './text.js';

/** What kind of actor made a thing. */
export const MAKER_KINDS = ['account', 'person', 'key', 'staff'] as const;

export type MakerKind = (typeof MAKER_KINDS)[number];

/** Who made a thing: the account itself, a person under it, one of its keys, or staff of the operator or reseller. */
export interface Maker {
  kind: MakerKind;
  /** of the account, the person or the key; null = not told */
  id: number | null;
  /** username, or name of the key; null = not told */
  name: string | null;
}

/** The column `created_by` holds as many characters. */
export const LONGEST_MAKER = 128;

const TEXT = /^(\w+):(\d+):(.*)$/s;

/** A maker as a `created_by` column keeps it: `person:12:jane`. The name stays known when the maker is gone. */
export const makerText = ({ kind, id, name }: Maker): string =>
  cutCodePoints(`${kind}:${id ?? 0}:${name ?? ''}`, LONGEST_MAKER);

/** How the texts of one maker begin, whatever its name. */
export const makerPrefix = (kind: MakerKind, id: number): string => `${kind}:${id}:`;

/** @returns null for what has no maker: it was made by the service itself, or before makers were kept */
export function readMaker(text: string | null): Maker | null {
  const [, word, id, name] = TEXT.exec(text ?? '') ?? [];
  const kind = MAKER_KINDS.find((known) => known === word);
  return kind === undefined ? null : { kind, id: Number(id), name: name ?? null };
}

/** A maker as the owner of the thing is shown it: staff are not named. */
export function makerForOwner(text: string | null): Maker | null {
  const maker = readMaker(text);
  return maker?.kind === 'staff' ? { kind: 'staff', id: null, name: null } : maker;
}
