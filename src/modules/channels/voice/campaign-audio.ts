import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AudioChanged, AudioLibrary, type DraftedAudio } from '../../audio/index.js';
import type { VoiceContent } from './calls/voice-content.js';
import type { MenuRow } from './domain/menu.js';
import type { VoiceRequest } from './domain/voice-request.js';

export interface MenuClip {
  url: string;
  /** path in the request: `dtmf_flow.rows[1].audio` */
  at: string;
}

/** All clips of a menu, in order; only rows of `dtmf_flow` have clips, and they come first. */
function clipsOf(rows: readonly MenuRow[], path = 'dtmf_flow.rows'): MenuClip[] {
  return rows.flatMap((row, index): MenuClip[] => {
    const at = `${path}[${index}]`;
    if (row.action === 'audio') return [{ url: row.audio, at: `${at}.audio` }];
    if (row.action !== 'submenu') return [];
    return [{ url: row.prompt, at: `${at}.prompt_audio` }, ...clipsOf(row.rows, `${at}.rows`)];
  });
}

/** The menu with stored clips; the supplied URLs stay as `source`. */
function withClips(rows: readonly MenuRow[], keptAt: (url: string) => string): MenuRow[] {
  return rows.map((row) => {
    if (row.action === 'audio') return { ...row, audio: keptAt(row.audio), source: row.audio };
    if (row.action !== 'submenu') return row;
    return { ...row, prompt: keptAt(row.prompt), source: row.prompt, rows: withClips(row.rows, keptAt) };
  });
}

const ROUNDS = 3;

/** All audio of a campaign, drafted: the bytes that are priced, reviewed and played. */
export interface CampaignSound {
  audio: DraftedAudio;
  clips: ReadonlyMap<string, DraftedAudio>;
}

export type KeepSound = (tx: EntityManager, campaignId: number) => Promise<void>;

/** A campaign's audio and menu clips: made outside transactions, stored in the one that accepts the campaign. */
@Injectable()
export class CampaignAudio {
  constructor(private readonly library: AudioLibrary) {}

  /**
   * Makes or fetches the audio, a few requests at a time because they hold it in memory. Calls `accept` again when the same
   * audio was stored or swept meanwhile. @throws AppError rows of reference/voice#order: audio, then clips
   */
  async of<T>(
    { source, menu }: Pick<VoiceRequest, 'source' | 'menu'>,
    accountId: number,
    accept: (sound: CampaignSound, keep: KeepSound) => Promise<T>,
  ): Promise<T> {
    const wanted = clipsOf(menu ?? []);
    const work = async (): Promise<T> => {
      const audio = await ('url' in source
        ? this.library.fetch(source.url, accountId)
        : this.library.speech(source.text, source.language, accountId));
      const clips = await this.library.clips(wanted, accountId);
      return this.accepted(accountId, { audio, clips }, accept);
    };
    return 'url' in source || wanted.length > 0 ? this.library.holding(accountId, work) : work();
  }

  private async accepted<T>(
    accountId: number,
    first: CampaignSound,
    accept: (sound: CampaignSound, keep: KeepSound) => Promise<T>,
  ): Promise<T> {
    let sound = first;
    for (let round = 1; ; round++) {
      try {
        const all = [sound.audio, ...sound.clips.values()];
        return await accept(sound, (tx, campaignId) => this.library.keep(tx, { id: campaignId, accountId }, all));
      } catch (error) {
        if (!(error instanceof AudioChanged) || round === ROUNDS) throw error;
        sound = await this.renewed(sound, error);
      }
    }
  }

  private async renewed({ audio, clips }: CampaignSound, fault: AudioChanged): Promise<CampaignSound> {
    const renew = async (draft: DraftedAudio): Promise<DraftedAudio> => {
      const renewed = await this.library.renewed(draft);
      if (!renewed) throw fault;
      return renewed;
    };
    const again = new Map<string, DraftedAudio>();
    for (const [url, clip] of clips) again.set(url, await renew(clip));
    return { audio: await renew(audio), clips: again };
  }
}

type Spoken = Pick<VoiceRequest, 'source' | 'plan' | 'menu' | 'retries' | 'retryIntervalSeconds'>;

/** The content of a campaign. @param callerId digits; '' = the route's own number */
export function contentOf(request: Spoken, { audio, clips }: CampaignSound, callerId: string): VoiceContent {
  const { source, plan, menu, retries, retryIntervalSeconds } = request;
  return {
    audio_url: audio.url,
    milliseconds: audio.milliseconds,
    source: 'url' in source ? { audio_url: source.url } : { message: source.text, language: source.language },
    voiceplan: plan,
    caller_id: callerId,
    menu: menu && withClips(menu, (url) => clips.get(url)?.url ?? url),
    retries,
    retry_interval: retryIntervalSeconds,
  };
}
