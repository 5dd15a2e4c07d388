import {
  type CallDetails,
  type Channel,
  outcomeOf,
  type RecipientOutcome,
  type RecipientRecord,
} from '../../engine/index.js';

/**
 * A recipient as its owner sees it: exactly the fields of reference/campaigns#contacts, the last three on voice alone.
 */
export interface ContactView extends RecipientOutcome, Partial<CallDetails> {
  seq: number;
  receiver: string;
  /** sends that were tried */
  attempts: number;
  /** the carrier's id of the latest message or call; null while it has none */
  provider_message_id: string | null;
  updated_at: string;
}

/** What of a recipient stands in other tables. */
export interface ContactExtras {
  providerIds: ReadonlyMap<number, string>;
  /** null on channels without columns of their own */
  details: ReadonlyMap<number, CallDetails> | null;
}

/** @param shown formats a time in the zone of the owning account */
export function contactView(
  channel: Channel,
  recipient: RecipientRecord,
  { providerIds, details }: ContactExtras,
  shown: (at: Date) => string,
): ContactView {
  const { seq, receiver, attempts, duration, updatedAt } = recipient;
  return {
    seq,
    receiver,
    ...outcomeOf(channel, recipient),
    attempts,
    provider_message_id: providerIds.get(seq) ?? null,
    updated_at: shown(updatedAt),
    ...(details && (details.get(seq) ?? { duration: duration ?? 0, digits: null, recording_url: null })),
  };
}
