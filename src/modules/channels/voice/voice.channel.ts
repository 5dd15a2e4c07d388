import { type Channel, RecipientStatus } from '../../engine/index.js';
import { reviewContent } from './calls/review-content.js';
import { voiceContent } from './calls/voice-content.js';

/**
 * Voice as the engine knows it: the words of reference/engine#recipient-statuses. A call that rings, waits for its next
 * attempt or may have been made is INITIATED; calls are not delivered or read, so these only complete the table.
 */
export const voiceChannel: Channel = {
  name: 'voice',
  event: 'voice.status.update',
  campaignStatus: { accepted: 'Pending for Verification', sending: 'Processing' },
  statusLabels: {
    [RecipientStatus.Pending]: 'PENDING',
    [RecipientStatus.Unknown]: 'INITIATED',
    [RecipientStatus.Submitted]: 'INITIATED',
    [RecipientStatus.Retrying]: 'INITIATED',
    [RecipientStatus.Delivered]: 'ANSWERED',
    [RecipientStatus.Read]: 'ANSWERED',
    [RecipientStatus.Failed]: 'FAILED',
    [RecipientStatus.Cancelled]: 'CANCELLED',
    [RecipientStatus.Answered]: 'ANSWERED',
    [RecipientStatus.NoAnswer]: 'NO_ANSWER',
    [RecipientStatus.Busy]: 'BUSY',
  },
  compose: (content) => {
    const { audio_url: audio, caller_id: callerId, menu, milliseconds } = voiceContent(content);
    return { text: '', payload: { audio, callerId, interactive: menu !== null, seconds: milliseconds / 1_000 } };
  },
  desk: (content) => reviewContent(voiceContent(content)),
  retryPlan: (content) => {
    const { retries, retry_interval: seconds } = voiceContent(content);
    return { retries, intervalMs: seconds * 1_000 };
  },
};
