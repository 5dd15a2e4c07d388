import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment, programPath } from '../../../platform/config/index.js';
import { tooMany } from '../../../platform/security/index.js';
import type { ForeignContainer } from '../domain/container.js';
import { TELEPHONE_FORMAT } from '../domain/wav.js';

const PATIENCE_SECONDS = 20;
const SECOND_BYTES = TELEPHONE_FORMAT.rate * TELEPHONE_FORMAT.frameBytes;
const MB = 1024 * 1024;
/** What ffmpeg may use where the system can hold it to that (util-linux); a file is the copy of the input it goes to and fro in. */
const LIMITS = [`--as=${1024 * MB}`, `--fsize=${32 * MB}`, '--nofile=64', '--core=0'];
/** The most that one allocation inside ffmpeg may be, bytes. */
const MOST_ALLOCATED = 128 * MB;

/** Decoders of what telephones, browsers and recorders write; ffmpeg has hundreds more, each a way in. */
const CODECS = [
  ...['opus', 'libopus', 'vorbis', 'libvorbis', 'speex', 'libspeex', 'flac', 'alac'],
  ...['aac', 'aac_fixed', 'aac_latm', 'libfdk_aac', 'mp3', 'mp3float', 'mp2', 'mp2float'],
  ...['amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb', 'gsm', 'gsm_ms', 'libgsm', 'libgsm_ms'],
  ...['adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt', 'adpcm_g722', 'adpcm_g726', 'g722', 'g726'],
  ...['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ...['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw'],
].join(',');

/**
 * Makes telephone audio of what a telephone network does not play, with ffmpeg where it is found. The input goes in and
 * the samples come out by pipes; ffmpeg may open nothing else, gets no variable at all, reads the one container that the
 * bytes are of and known codecs only, and is ended at its time limit.
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

  /**
   * The first audio track as PCM of `TELEPHONE_FORMAT`, at most `seconds` of it.
   * @returns null when ffmpeg is not there, cannot read the bytes as that container, or takes too long
   * @throws AppError too_many when too many others wait
   */
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

/** What runs a program under limits, where the system has it. @param timeout also in seconds of the processor */
function limiter(timeout: number): string[] {
  const program = programPath('prlimit');
  return program === null ? [] : [program, ...LIMITS, `--cpu=${Math.ceil(timeout / 1_000) + 1}`];
}

function ffmpegArguments(container: string, seconds: number): string[] {
  const { rate, channels } = TELEPHONE_FORMAT;
  // `cache:` lets it go to and fro in the pipe: the index of an M4A file mostly stands at the end
  const pipe = ['-protocol_whitelist', 'cache,pipe', '-read_ahead_limit', '-1'];
  const known = ['-format_whitelist', container, '-codec_whitelist', CODECS];
  const input = [...pipe, ...known, '-f', container, '-i', 'cache:pipe:0'];
  const track = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(seconds)];
  const output = ['-ac', String(channels), '-ar', String(rate), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'];
  const held = ['-nostdin', '-v', 'quiet', '-max_alloc', String(MOST_ALLOCATED)];
  return [...held, '-threads', '1', ...input, ...track, ...output];
}
