import type { ChannelOffer } from '../../engine/index.js';
import { voiceReceiver } from './domain/call-number.js';
import { newVoiceRequestId } from './voice-request-id.js';

/** Voice for whoever sells sends: no quote, because the price is the length of an audio that has yet to be made. */
export const voiceOffer: ChannelOffer = {
  name: 'voice',
  newRequestId: newVoiceRequestId,
  readContact: voiceReceiver,
  duplicates: 'removed',
};
