import type {
  Channel,
  Content,
  DetailValue,
  RecipientDetails,
  ReviewContent,
  ReviewMenuRow,
  TimelineEvent,
} from '../../../engine/index.js';
import type { MenuRow } from '../domain/menu.js';
import type { VoicePlan } from '../domain/voice-request.js';
import { type VoiceCall, VoiceCalls } from '../voice-calls.store.js';

/** What a voice campaign carries (`campaigns.content`). */
export interface VoiceContent {
  /** address of the bytes that were priced, reviewed and played */
  audio_url: string;
  milliseconds: number;
  /** text that was spoken, or the address that was supplied */
  source: { message: string; language: string | null } | { audio_url: string };
  voiceplan: VoicePlan;
  /** digits; '' = the route's own number */
  caller_id: string;
  /** rows of the first menu; null = none */
  menu: MenuRow[] | null;
  retries: number;
  /** seconds */
  retry_interval: number;
}

/** The stored content, which only `SendVoiceCampaignHandler` writes. */
export const voiceContent = (content: Content): VoiceContent => content as unknown as VoiceContent;

/** What staff review of a voice campaign: all the audio in it, and every number that it can forward to. */
export const reviewContent = (content: VoiceContent): ReviewContent => ({
  audio_url: content.audio_url,
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

/** What a call adds to a recipient (reference/campaigns#contacts); null where no key was pressed or nothing was recorded. */
interface CallColumns extends Record<string, DetailValue> {
  /** seconds of the answered call, 0 when unanswered */
  duration: number;
  digits: string | null;
  recording_url: string | null;
}

/** What the campaigns API shows of calls (reference/campaigns#contacts): columns of the contacts, moments of the timeline. */
export const callDetails = (labels: Channel['statusLabels']): RecipientDetails => ({
  columns: ['duration', 'digits', 'recording_url'],

  /** Of several calls the last one counts; keys and recordings are those of the last call that has any. */
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

/** When a call was made is known to the engine, as `submitted`. */
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
