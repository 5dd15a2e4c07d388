import type { Addressee } from './recipient-terms.js';

/** Variables of a recipient by name. */
export type Variables = NonNullable<Addressee['variables']>;

/** In what recipients of a campaign differ from it, as far as sending asks for it: `campaigns.own_kinds` is a sum of these. */
export const OWN_KIND = { routes: 1, senders: 2, variables: 4 } as const;

/** Recipients whose variables stand in one row: of a million recipients these are rows enough, and of one little to read. */
export const RECIPIENTS_A_BLOCK = 100;

/** What is read through: the pool or a transaction. */
interface Source {
  query<T>(sql: string, values: unknown[]): Promise<T>;
}

interface OwnPlace {
  campaignId: number;
  /** 1 = the first */
  seq: number;
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
  const read = new Map<number, Map<number, (Variables | null)[]>>([...blocks.keys()].map((id) => [id, new Map()]));
  for (const { id, block, variables } of rows) {
    read.get(id)?.set(block, JSON.parse(variables) as (Variables | null)[]);
  }
  return ({ campaignId, seq }) =>
    read.get(campaignId)?.get(blockOf(seq))?.[(seq - 1) % RECIPIENTS_A_BLOCK] ?? undefined;
}
