import {
  type Channel,
  type DetailValue,
  outcomeOf,
  type RecipientOutcome,
  type RecipientRecord,
} from '../../engine/index.js';

/** A recipient as its owner sees it on every channel (reference/campaigns#contacts). */
export interface RecipientView extends RecipientOutcome {
  seq: number;
  receiver: string;
  /** sends that were tried */
  attempts: number;
  /** the carrier's id of the latest message or call; null while it has none */
  provider_message_id: string | null;
  updated_at: string;
}

/** Values of the channel's own columns, by name. */
type Details = Readonly<Record<string, DetailValue>>;

/** A recipient with the channel's own columns. */
export type DetailedRecipient = RecipientView & Details;

/** What of a recipient stands in other tables. */
export interface RecipientExtras {
  providerIds: ReadonlyMap<number, string>;
  /** absent on channels without columns of their own */
  details: ReadonlyMap<number, Details> | undefined;
}

/** @param shown formats a time in the zone of the owning account */
export function recipientView(
  channel: Channel,
  recipient: RecipientRecord,
  { providerIds, details }: RecipientExtras,
  shown: (at: Date) => string,
): DetailedRecipient {
  const { seq, number, attempts, updatedAt } = recipient;
  return {
    seq,
    receiver: number,
    ...outcomeOf(channel, recipient),
    attempts,
    provider_message_id: providerIds.get(seq) ?? null,
    updated_at: shown(updatedAt),
    ...details?.get(seq),
  };
}
