import type { Environment } from '../../src/platform/config/index.js';
import type { RunningApi } from './api.js';
import { campaignsOf } from './campaigns.js';
import { openApi } from './sms.js';
import { voiceOf } from './voice.js';

export type EveryChannel = ReturnType<typeof campaignsOf>;

/** Campaigns, with a default route for SMS, unofficial chat and calls. */
export async function openEveryChannel(overrides: Partial<Environment> = {}): Promise<EveryChannel> {
  const api = await openApi(overrides);
  await addOtherRoutes(api);
  return campaignsOf(api);
}

/** A default route for the channels beside SMS. */
export async function addOtherRoutes(api: RunningApi): Promise<void> {
  const voice = voiceOf(api);
  await voice.addRoute('chat', true, 'unofficial');
  await voice.addVoiceRoute();
}
