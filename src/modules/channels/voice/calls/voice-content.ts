import type { Content } from '../../../engine/index.js';
import type { MenuRow } from '../domain/menu.js';
import type { VoicePlan } from '../domain/voice-price.js';

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
