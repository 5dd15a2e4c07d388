import { Inject, Injectable } from '@nestjs/common';
import { isHttpUrl } from '../../../kernel/web-url.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { OutboundClient, OutboundError } from '../../../platform/outbound/index.js';
import { audioErrors } from '../audio.errors.js';
import { containerOf, type ForeignContainer } from '../domain/container.js';
import { mp3Milliseconds } from '../domain/mp3.js';
import { mp4Milliseconds } from '../domain/mp4.js';
import { isTelephoneWav, readWav, TELEPHONE_FORMAT, wavMilliseconds, writeWav } from '../domain/wav.js';
import { type AudioDraft, AudioStore, contentKey, type NewAudio } from '../persistence/audio-store.js';
import { LONGEST_MS } from '../stored-audio.js';
import { Transcoder } from './transcoder.js';

/** An address that a customer supplied. */
export interface Supply {
  url: string;
  /** the field that named it, for errors */
  at: string;
  accountId: number;
  /** where less is left than a file may take */
  timeoutMs?: number;
  maxBytes?: number;
}

/** Audio as it will be played. */
type Playable = Omit<NewAudio, 'key'>;

const LONGEST_URL = 2_048;
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_REDIRECTS = 3;
const WAV = { mime: 'audio/wav', extension: 'wav' };
const MP3 = { mime: 'audio/mpeg', extension: 'mp3' };
/** The transcoder stops a second behind the limit: enough to see that it is passed. */
const MOST_SECONDS = LONGEST_MS / 1_000 + 1;
const TELEPHONE_BYTES_PER_MS = (TELEPHONE_FORMAT.rate * TELEPHONE_FORMAT.frameBytes) / 1_000;
/** The longest frame of AAC: 2,048 samples at 8,000 a second. */
const MOST_PADDING_MS = 256;

/**
 * Audio that customers supply by URL (reference/voice#supplied-audio): fetched once under the rules for user-supplied
 * URLs, measured, and drafted as it will be played. What a telephone network plays is kept byte for byte; the rest is
 * transcoded.
 */
@Injectable()
export class SuppliedAudio {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly transcoder: Transcoder,
    private readonly store: AudioStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'AUDIO_FETCH_TIMEOUT'>,
  ) {}

  /** @throws AppError invalid: not to be fetched, not playable, or longer than 120 s; too_many */
  async accept({ url, at, accountId, timeoutMs, maxBytes }: Supply): Promise<AudioDraft> {
    const limits = {
      timeoutMs: Math.min(timeoutMs ?? Infinity, this.environment.AUDIO_FETCH_TIMEOUT),
      maxBytes: Math.min(maxBytes ?? Infinity, MOST_BYTES),
    };
    const bytes = await this.fetch(url, accountId, limits);
    if (bytes === 'too_large' && limits.maxBytes < MOST_BYTES) throw audioErrors.tooMuch();
    if (typeof bytes === 'string') throw audioErrors.notFetched(at);
    const playable = await this.playable(bytes);
    if (!playable) throw audioErrors.notPlayable(at);
    if (playable.milliseconds > LONGEST_MS) throw audioErrors.tooLong(at === 'audio_url' ? 'Audio' : at);
    return this.store.draft({ ...playable, key: contentKey(['supplied', playable.mime, playable.bytes]) });
  }

  private async fetch(
    url: string,
    customer: number,
    limits: { timeoutMs: number; maxBytes: number },
  ): Promise<Buffer | 'failed' | 'too_large'> {
    if (url.length > LONGEST_URL || !isHttpUrl(url)) return 'failed';
    try {
      const { status, body } = await this.outbound.request({
        url,
        customer,
        // one file, so no connection to keep
        headers: { accept: 'audio/*, */*;q=0.5', 'accept-encoding': 'identity', connection: 'close' },
        ...limits,
        maxRedirects: MOST_REDIRECTS,
      });
      return status === 200 ? body : 'failed';
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return error.fault === 'too_large' ? 'too_large' : 'failed';
    }
  }

  private async playable(bytes: Buffer): Promise<Playable | null> {
    const container = containerOf(bytes);
    if (container === 'wav') return playableWav(bytes) ?? this.transcoded(bytes, container);
    if (container === 'mp3') {
      const milliseconds = mp3Milliseconds(bytes);
      return milliseconds === null ? null : { ...MP3, bytes, milliseconds };
    }
    return container && this.transcoded(bytes, container);
  }

  private async transcoded(bytes: Buffer, container: ForeignContainer | 'wav'): Promise<Playable | null> {
    const sound = await this.transcoder.toTelephone(bytes, container, MOST_SECONDS);
    if (!sound) return null;
    const data = container === 'mov' ? withoutPadding(sound, mp4Milliseconds(bytes)) : sound;
    const wav = { format: TELEPHONE_FORMAT, data, honest: true };
    return { ...WAV, bytes: writeWav(TELEPHONE_FORMAT, data), milliseconds: wavMilliseconds(wav) };
  }
}

/** Cuts off what fills up the last frame, where the container names the end and there is no more than a frame behind it. */
function withoutPadding(sound: Buffer, claimedMs: number | null): Buffer {
  const end = (claimedMs ?? 0) * TELEPHONE_BYTES_PER_MS;
  const rest = sound.length - end;
  return claimedMs !== null && rest > 0 && rest <= MOST_PADDING_MS * TELEPHONE_BYTES_PER_MS
    ? sound.subarray(0, end)
    : sound;
}

/** A WAV file that networks play. Where its header lies, it gets one that does not, so that no more than this is heard. */
function playableWav(bytes: Buffer): Playable | null {
  const wav = readWav(bytes);
  if (!wav || !isTelephoneWav(wav.format)) return null;
  const kept = wav.honest ? bytes : writeWav(wav.format, wav.data);
  return { ...WAV, bytes: kept, milliseconds: wavMilliseconds(wav) };
}
