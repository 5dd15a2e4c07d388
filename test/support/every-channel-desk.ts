import type { Environment } from '../../src/platform/config/index.js';
import { CampaignDesk } from './campaign-desk.js';
import { VoiceDesk } from './voice-desk.js';

/** The campaign desk with a default route for SMS, unofficial chat and calls. */
export class EveryChannelDesk extends CampaignDesk {
  static async openAll(overrides: Partial<Environment> = {}): Promise<EveryChannelDesk> {
    const desk = await EveryChannelDesk.open(overrides);
    await desk.addEveryRoute();
    return desk;
  }

  /** `main` for SMS is there already. */
  protected async addEveryRoute(): Promise<void> {
    await this.addRoute('chat', true, 'unofficial');
    await new VoiceDesk(this.api).addVoiceRoute();
  }

  /** A part of the running API. */
  part<T>(type: abstract new (...parameters: never[]) => T): T {
    return this.api.app.get<T>(type, { strict: false });
  }
}
