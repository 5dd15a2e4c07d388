import type { Channel, DetailValue, RecipientDetails, TimelineEvent } from '../../../engine/index.js';
import { type VoiceCall, VoiceCalls } from '../persistence/voice-calls.js';

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
