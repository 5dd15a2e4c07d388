import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/ids.js';
import { keepForRetry } from '../../audio/index.js';
import { type Channel, type Content, RecipientStatus } from '../../engine/index.js';
import { Guard } from '../../guard/index.js';
import { SenderIds } from '../../sender-ids/index.js';
import { callDetails, reviewContent, voiceContent } from './calls/voice-content.js';
import { voiceReceiver } from './domain/call-number.js';
import { transferNumbers } from './domain/menu.js';
import { CampaignAudio, contentOf } from './campaign-audio.js';
import { blocksOf, VOICE_PLANS } from './domain/voice-request.js';
import { callAttemptLog } from './voice-calls.store.js';

/** Calls between attempts are INITIATED; calls are neither delivered nor read (reference/engine#recipient-statuses). */
const STATUS_LABELS: Channel['statusLabels'] = {
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
};

/** A staff test call of a route. */
const TEST = { plan: VOICE_PLANS[0], menu: null, retries: 0, retryIntervalSeconds: 60 } as const;
const THE_ROUTES_OWN = '';

const blocksIn = (content: Content): number => {
  const { milliseconds, voiceplan } = voiceContent(content);
  return blocksOf(milliseconds, voiceplan);
};

/** Voice has no quote of a text: the price depends on the length of an audio that is not made yet. */
export const voiceChannel: Channel<'voice'> = {
  name: 'voice',
  title: 'voice',
  routes: 'voice',
  event: 'voice.status.update',
  campaignStatus: { accepted: 'Pending for Verification', sending: 'Processing' },
  statusLabels: STATUS_LABELS,
  timed: true,
  quotesRequests: true,
  newRequestId: (zone, { CELL: cell }) => newRequestId('VCAMP', 8, { at: now(), zone, cell }),
  readRecipient: voiceReceiver,
  duplicates: 'removed',
  price: (content) => ({ balance: 'voice_credits', unitCredits: blocksIn(content) }),
  billedUnits: blocksIn,
  compose: (content) => {
    const { audio_url: audio, say, caller_id: callerId, menu, milliseconds } = voiceContent(content);
    const payload = { audio, callerId, interactive: menu !== null, seconds: milliseconds / 1_000 };
    return { text: '', payload: say ? { ...payload, say } : payload };
  },
  retryPlan: (content) => {
    const { retries, retry_interval: seconds } = voiceContent(content);
    return { retries, intervalMs: seconds * 1_000 };
  },
  attemptLog: callAttemptLog,
  details: callDetails(STATUS_LABELS),
  validateRetry: async (services, { accountId, sender, content }) => {
    const { caller_id: caller, menu } = voiceContent(content);
    if (sender !== null) await services(SenderIds).assertApproved(accountId, 'voice', sender);
    else if (await services(Guard).needsApprovedCaller(accountId))
      await services(SenderIds).assertCaller(accountId, caller);
    await services(Guard).assertDestinations(accountId, 'voice', transferNumbers(menu ?? []));
  },
  retried: keepForRetry,
  outline: (content) => {
    const { source, audio_url } = voiceContent(content);
    return { text: 'message' in source ? source.message : null, audio_url: audio_url || null };
  },
  testing: (services, { accountId, text }, accept) => {
    const test = { ...TEST, source: { text, language: null } };
    return services(CampaignAudio).of(test, accountId, (sound, keep) =>
      accept({ ...contentOf(test, sound, THE_ROUTES_OWN) }, keep),
    );
  },
  reviewContent: (content) => reviewContent(voiceContent(content)),
};
