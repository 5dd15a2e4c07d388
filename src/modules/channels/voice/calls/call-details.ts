import { Injectable } from '@nestjs/common';
import type {
  CallDetails,
  CampaignRecord,
  DetailsSource,
  RecipientKey,
  TimelineEvent,
  TimelineSource,
} from '../../../engine/index.js';
import { type VoiceCall, VoiceCalls } from '../persistence/voice-calls.js';
import { voiceChannel } from '../voice.channel.js';

/**
 * What the campaigns API tells of calls (reference/campaigns#contacts): columns of the contacts, moments of the
 * timeline.
 */
@Injectable()
export class CallDetailsSource implements DetailsSource, TimelineSource {
  constructor(private readonly calls: VoiceCalls) {}

  /** Of several calls the last one counts; keys and recordings are those of the last call that has any. */
  async detailsOf(campaign: CampaignRecord, seqs: readonly number[]): Promise<ReadonlyMap<number, CallDetails>> {
    const details = new Map<number, CallDetails>();
    for (const call of await this.calls.of(campaign.id, seqs)) {
      const before = details.get(call.seq);
      details.set(call.seq, {
        duration: call.seconds,
        digits: call.digits === '' ? (before?.digits ?? null) : call.digits,
        recording_url: call.recordingUrls.at(-1) ?? before?.recording_url ?? null,
      });
    }
    return details;
  }

  async timelineOf({ campaign, seq }: RecipientKey): Promise<TimelineEvent[]> {
    if (campaign.channel !== 'voice') return [];
    return (await this.calls.of(campaign.id, [seq])).flatMap(moments);
  }
}

/** When a call was made is known to the engine, as `submitted`. */
function moments(call: VoiceCall): TimelineEvent[] {
  const known = { attempt: call.attempt, provider_message_id: call.callId };
  const events: TimelineEvent[] = [];
  if (call.answeredAt) events.push({ at: call.answeredAt, event: 'call_answered', details: known });
  if (call.endedAt) {
    events.push({
      at: call.endedAt,
      event: 'call_ended',
      status: voiceChannel.statusLabels[call.status],
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
