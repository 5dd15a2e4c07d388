import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Turns } from '../../../kernel/turns.js';
import { childEnvironment, ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { tooMany } from '../../../platform/security/index.js';
import type { ForeignContainer } from '../domain/container.js';
import { TELEPHONE_FORMAT } from '../domain/wav.js';

const PATIENCE_SECONDS = 20;
const SECOND_BYTES = TELEPHONE_FORMAT.rate * TELEPHONE_FORMAT.frameBytes;

/**
 * Makes telephone audio of what a telephone network does not play, with ffmpeg where it is found. The input goes in and
 * the samples come out by pipes; ffmpeg may open nothing else, gets no variable of ours and is ended at its time limit.
 */
@Injectable()
export class Transcoder {
  private readonly logger = new Logger('Transcoder');
  private readonly turns = new Turns(availableParallelism(), PATIENCE_SECONDS * 1_000, () => tooMany(PATIENCE_SECONDS));

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'FFMPEG_PATH' | 'TRANSCODE_TIMEOUT'>,
  ) {}

  /**
   * The first audio track as PCM of `TELEPHONE_FORMAT`, at most `seconds` of it.
   * @returns null when ffmpeg is not there, cannot read the bytes as that container, or takes too long
   * @throws AppError too_many when too many others wait
   */
  toTelephone(bytes: Buffer, container: ForeignContainer | 'wav' | 'mp3', seconds: number): Promise<Buffer | null> {
    return this.turns.take(() => this.run(bytes, container, seconds));
  }

  private run(bytes: Buffer, container: string, seconds: number): Promise<Buffer | null> {
    const { FFMPEG_PATH: program, TRANSCODE_TIMEOUT: timeout } = this.environment;
    return new Promise((resolve) => {
      const child = spawn(program, ffmpegArguments(container, seconds), {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: childEnvironment(),
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
        this.logger.warn('ffmpeg was not found: OGG, M4A and other audio that networks do not play is refused');
        resolve(null);
      });
      child.once('close', (code) => resolve(code === 0 && size > 0 ? Buffer.concat(chunks) : null));
    });
  }
}

function ffmpegArguments(container: string, seconds: number): string[] {
  const { rate, channels } = TELEPHONE_FORMAT;
  // `cache:` lets it go to and fro in the pipe: the index of an M4A file mostly stands at the end
  const pipe = ['-protocol_whitelist', 'cache,pipe', '-read_ahead_limit', '-1'];
  const input = [...pipe, '-f', container, '-i', 'cache:pipe:0'];
  const track = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(seconds)];
  const output = ['-ac', String(channels), '-ar', String(rate), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'];
  return ['-nostdin', '-v', 'quiet', '-threads', '1', ...input, ...track, ...output];
}
