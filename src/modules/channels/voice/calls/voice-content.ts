import type { Channel, Content, TimelineEvent } from '../../../engine/index.js';
import type { MenuRow } from '../domain/menu.js';
import type { VoicePlan } from '../domain/voice-request.js';
import { type VoiceCall, VoiceCalls } from '../voice-calls.store.js';

type RecipientDetails = NonNullable<Channel['details']>;
type ReviewContent = ReturnType<NonNullable<Channel['reviewContent']>>;
type ReviewMenuRow = NonNullable<ReviewContent['menu']>[number];

/** Content of a voice campaign (`campaigns.content`). */
export interface VoiceContent {
  /** URL of the bytes that were priced, reviewed and played */
  audio_url: string;
  milliseconds: number;
  /** the spoken text, or the supplied URL */
  source: { message: string; language: string | null } | { audio_url: string };
  voiceplan: VoicePlan;
  /** digits; '' = the route's own number */
  caller_id: string;
  menu: MenuRow[] | null;
  /** the carrier speaks this, and `audio_url` is empty */
  say?: { text: string; language: string };
  retries: number;
  /** seconds */
  retry_interval: number;
}

/** Casts stored content, which only `SendVoiceCampaignHandler` writes. */
export const voiceContent = (content: Content): VoiceContent => content as unknown as VoiceContent;

/** Content for staff review: all audio and all forwarding numbers. */
export const reviewContent = (content: VoiceContent): ReviewContent => ({
  audio_url: content.audio_url || null,
  message: 'message' in content.source ? content.source.message : null,
  language: 'message' in content.source ? content.source.language : null,
  caller_id: content.caller_id || null,
  retries: content.retries,
  menu: content.menu?.map(reviewRow) ?? null,
});

function reviewRow(row: MenuRow): ReviewMenuRow {
  const { digit, action } = row;
  const [number = null, ...fallbacks] = row.action === 'transfer' ? row.numbers : [];
  return {
    digit,
    action,
    clip: row.action === 'audio' ? row.audio : row.action === 'submenu' ? row.prompt : null,
    source: row.action === 'audio' || row.action === 'submenu' ? (row.source ?? null) : null,
    after: row.action === 'audio' ? row.after : null,
    number,
    fallback_numbers: fallbacks,
    rows: row.action === 'submenu' ? row.rows.map(reviewRow) : [],
  };
}

/** Columns that a call adds to a recipient (reference/campaigns#contacts). */
interface CallColumns extends Record<string, string | number | null> {
  /** seconds of the answered call; 0 = unanswered */
  duration: number;
  digits: string | null;
  recording_url: string | null;
}

/** Call columns and timeline events for the campaigns API (reference/campaigns#contacts). */
export const callDetails = (labels: Channel['statusLabels']): RecipientDetails => ({
  columns: ['duration', 'digits', 'recording_url'],

  /** The last call counts; keys and recordings are those of the last call that has any. */
  async of(services, { id }, recipients) {
    const columns = new Map(
      recipients.map(({ seq, duration }): [number, CallColumns] => [
        seq,
        { duration: duration ?? 0, digits: null, recording_url: null },
      ]),
    );
    for (const call of await services(VoiceCalls).of(id, [...columns.keys()])) {
      const before = columns.get(call.seq);
      columns.set(call.seq, {
        duration: call.seconds,
        digits: call.digits === '' ? (before?.digits ?? null) : call.digits,
        recording_url: call.recordingUrls.at(-1) ?? before?.recording_url ?? null,
      });
    }
    return columns;
  },

  async timeline(services, { id }, seq) {
    const calls = await services(VoiceCalls).of(id, [seq]);
    return calls.flatMap((call) => moments(call, labels));
  },
});

/** The start of a call is missing here: the engine reports it as `submitted`. */
function moments(call: VoiceCall, labels: Channel['statusLabels']): TimelineEvent[] {
  const known = { attempt: call.attempt, provider_message_id: call.callId };
  const events: TimelineEvent[] = [];
  if (call.answeredAt) events.push({ at: call.answeredAt, event: 'call_answered', details: known });
  if (call.endedAt) {
    events.push({
      at: call.endedAt,
      event: 'call_ended',
      status: labels[call.status],
      details: {
        ...known,
        duration: call.seconds,
        digits: call.digits === '' ? null : call.digits,
        recording_urls: call.recordingUrls,
        error_code: call.errorCode,
      },
    });
  }
  return events;
}
