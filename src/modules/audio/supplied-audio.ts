import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { isHttpUrl } from '../../kernel/urls.js';
import { Semaphore } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, programPath } from '../../platform/config/index.js';
import { OutboundClient, OutboundError } from '../../platform/outbound/index.js';
import { tooMany } from '../../platform/security/index.js';
import {
  containerOf,
  type ForeignContainer,
  isTelephoneWav,
  mp3Milliseconds,
  mp4Milliseconds,
  readWav,
  TELEPHONE_FORMAT,
  wavMilliseconds,
  writeWav,
} from './audio-formats.js';
import { audioErrors } from './audio.errors.js';
import { type AudioDraft, AudioStore, contentKey, LONGEST_MS, type NewAudio } from './audio.store.js';

const PATIENCE_SECONDS = 20;
const SECOND_BYTES = TELEPHONE_FORMAT.rate * TELEPHONE_FORMAT.frameBytes;
const MB = 1024 * 1024;
/** Limits of ffmpeg through prlimit (util-linux); `fsize` is for its seekable copy of the input. */
const LIMITS = [`--as=${1024 * MB}`, `--fsize=${32 * MB}`, '--nofile=64', '--core=0'];
/** Largest single allocation of ffmpeg, bytes. */
const MOST_ALLOCATED = 128 * MB;

/** Codecs of telephones, browsers and recorders; each further decoder of ffmpeg would be attack surface. */
const CODECS = [
  ...['opus', 'libopus', 'vorbis', 'libvorbis', 'speex', 'libspeex', 'flac', 'alac'],
  ...['aac', 'aac_fixed', 'aac_latm', 'libfdk_aac', 'mp3', 'mp3float', 'mp2', 'mp2float'],
  ...['amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb', 'gsm', 'gsm_ms', 'libgsm', 'libgsm_ms'],
  ...['adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt', 'adpcm_g722', 'adpcm_g726', 'g722', 'g726'],
  ...['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ...['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw'],
].join(',');

/**
 * Converts audio with ffmpeg, if present. ffmpeg uses pipes only, gets no environment, may use only the detected container and
 * known codecs, and is killed at its time limit.
 */
@Injectable()
export class Transcoder {
  private readonly logger = new Logger('Transcoder');
  private readonly semaphore = new Semaphore(availableParallelism(), {
    patienceMs: PATIENCE_SECONDS * 1_000,
    refusal: () => tooMany(PATIENCE_SECONDS),
  });

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'FFMPEG_PATH' | 'TRANSCODE_TIMEOUT'>,
  ) {}

  /** First audio track as `TELEPHONE_FORMAT`. @returns null without ffmpeg, for unreadable bytes, or after the time limit */
  toTelephone(bytes: Buffer, container: ForeignContainer | 'wav' | 'mp3', seconds: number): Promise<Buffer | null> {
    return this.semaphore.run(() => this.run(bytes, container, seconds));
  }

  private run(bytes: Buffer, container: string, seconds: number): Promise<Buffer | null> {
    const { FFMPEG_PATH: name, TRANSCODE_TIMEOUT: timeout } = this.environment;
    const program = programPath(name);
    if (program === null) {
      this.logger.warn('ffmpeg was not found: OGG, M4A and other audio that networks do not play is refused');
      return Promise.resolve(null);
    }
    const [first = program, ...rest] = [...limiter(timeout), program, ...ffmpegArguments(container, seconds)];
    return new Promise((resolve) => {
      const child = spawn(first, rest, {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: {},
        timeout,
        killSignal: 'SIGKILL',
      });
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > (seconds + 1) * SECOND_BYTES) child.kill('SIGKILL');
      });
      // it may stop reading before the end of the input
      child.stdin.on('error', () => undefined);
      child.stdin.end(bytes);
      child.once('error', () => {
        this.logger.warn('ffmpeg could not be started');
        resolve(null);
      });
      child.once('close', (code) => resolve(code === 0 && size > 0 ? Buffer.concat(chunks) : null));
    });
  }
}

/** The command prefix that limits a program, if the system has it. @param timeout milliseconds, also limits CPU seconds */
function limiter(timeout: number): string[] {
  const program = programPath('prlimit');
  return program === null ? [] : [program, ...LIMITS, `--cpu=${Math.ceil(timeout / 1_000) + 1}`];
}

function ffmpegArguments(container: string, seconds: number): string[] {
  const { rate, channels } = TELEPHONE_FORMAT;
  // `cache:` makes the pipe seekable: the index of an M4A file is mostly at the end
  const pipe = ['-protocol_whitelist', 'cache,pipe', '-read_ahead_limit', '-1'];
  const known = ['-format_whitelist', container, '-codec_whitelist', CODECS];
  const input = [...pipe, ...known, '-f', container, '-i', 'cache:pipe:0'];
  const track = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(seconds)];
  const output = ['-ac', String(channels), '-ar', String(rate), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'];
  const held = ['-nostdin', '-v', 'quiet', '-max_alloc', String(MOST_ALLOCATED)];
  return [...held, '-threads', '1', ...input, ...track, ...output];
}

export interface Supply {
  url: string;
  at: string;
  accountId: number;
  timeoutMs?: number;
  maxBytes?: number;
}

type Playable = Omit<NewAudio, 'key'>;

const LONGEST_URL = 2_048;
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_REDIRECTS = 3;
const WAV = { mime: 'audio/wav', extension: 'wav' };
const MP3 = { mime: 'audio/mpeg', extension: 'mp3' };
/** One second over the limit, to detect audio that exceeds it. */
const MOST_SECONDS = LONGEST_MS / 1_000 + 1;
const TELEPHONE_BYTES_PER_MS = (TELEPHONE_FORMAT.rate * TELEPHONE_FORMAT.frameBytes) / 1_000;
/** The longest frame of AAC: 2,048 samples at 8,000 a second. */
const MOST_PADDING_MS = 256;

/**
 * Audio at customers' URLs (reference/voice#supplied-audio): fetched once under the rules for user-supplied URLs, measured, and
 * stored unchanged if a telephone carrier plays it, else transcoded.
 */
@Injectable()
export class SuppliedAudio {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly transcoder: Transcoder,
    private readonly store: AudioStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'AUDIO_FETCH_TIMEOUT'>,
  ) {}

  /** @throws AppError invalid: not fetchable, not playable, or longer than 120 s; too_many */
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
        // one file only: do not keep the connection
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

/** Removes the silence after the end that the container names, if it is at most one frame. */
function withoutPadding(sound: Buffer, claimedMs: number | null): Buffer {
  const end = (claimedMs ?? 0) * TELEPHONE_BYTES_PER_MS;
  const rest = sound.length - end;
  return claimedMs !== null && rest > 0 && rest <= MOST_PADDING_MS * TELEPHONE_BYTES_PER_MS
    ? sound.subarray(0, end)
    : sound;
}

/** A WAV that carriers play; a dishonest header is rewritten, so that players play only what we measured. */
function playableWav(bytes: Buffer): Playable | null {
  const wav = readWav(bytes);
  if (!wav || !isTelephoneWav(wav.format)) return null;
  const kept = wav.honest ? bytes : writeWav(wav.format, wav.data);
  return { ...WAV, bytes: kept, milliseconds: wavMilliseconds(wav) };
}
