import { type Channel, type RecipientRecord, RecipientStatus } from '../campaigns/index.js';

/** One recipient's state in reports and pushes: exactly the fields of spec 2.4, in its order. */
export interface DeliveryRecord {
  event: string;
  /** the campaign's request_id */
  providerMessageId: string;
  receiver: string;
  status: string;
  /** 0 = normal, 1 = failed */
  status_code: 0 | 1;
  /** the carrier's number of a message or call that did not get through */
  error_code: number | null;
  /** null unless failed */
  errorMessage: string | null;
  /** voice only: call seconds, 0 when unanswered */
  duration?: number;
}

/** Statuses under which the carrier's number is an outcome; before them it may be that of a passing fault. */
const WITH_ERROR_CODE: ReadonlySet<RecipientStatus> = new Set([
  RecipientStatus.Failed,
  RecipientStatus.NoAnswer,
  RecipientStatus.Busy,
]);

/** Builds the record of spec 2.4 in the words of the channel (decisions §6). */
export function deliveryRecord(
  channel: Channel,
  requestId: string,
  recipient: Pick<RecipientRecord, 'receiver' | 'status' | 'errorCode' | 'errorMessage' | 'duration'>,
): DeliveryRecord {
  const failed = recipient.status === RecipientStatus.Failed;
  return {
    event: channel.event,
    providerMessageId: requestId,
    receiver: recipient.receiver,
    status: channel.words[recipient.status],
    status_code: failed ? 1 : 0,
    error_code: WITH_ERROR_CODE.has(recipient.status) ? recipient.errorCode : null,
    errorMessage: failed ? recipient.errorMessage : null,
    ...(channel.name === 'voice' && { duration: recipient.duration ?? 0 }),
  };
}

/** `status_counts` of a report: recipients per word, without zeros; statuses that share a word are summed. */
export function statusCounts(channel: Channel, counts: ReadonlyMap<RecipientStatus, number>): Record<string, number> {
  const byWord: Record<string, number> = {};
  for (const [status, count] of counts) {
    if (count <= 0) continue;
    const word = channel.words[status];
    byWord[word] = (byWord[word] ?? 0) + count;
  }
  return byWord;
}

/** The statuses behind a word, in any case of letters; empty for a word that the channel does not have. */
export function statusesOf(channel: Channel, word: string): RecipientStatus[] {
  const wanted = word.trim().toUpperCase();
  return Object.entries(channel.words)
    .filter(([, name]) => name.toUpperCase() === wanted)
    .map(([status]) => Number(status) as RecipientStatus);
}
