import { newId } from '../../src/kernel/ids.js';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { AudioChanged, type AudioLibrary, type DraftedAudio, type StoredAudio } from '../../src/modules/audio/index.js';
import type { RunningApi } from './api.js';

/** ffmpeg and ffprobe, where this machine has them (Debian package ffmpeg). */
export const hasFfmpeg = ['ffmpeg', 'ffprobe'].every((name) => spawnSync(name, ['-version']).status === 0);

/** A WAV file written here, with nothing of the service: a tone of so many samples, PCM. */
export function toneWav(
  samples: number,
  {
    rate = 8_000,
    bits = 16,
    channels = 1,
    codec = 1,
  }: { rate?: number; bits?: number; channels?: number; codec?: number } = {},
): Buffer {
  const frame = (bits / 8) * channels;
  const data = Buffer.alloc(samples * frame);
  for (let index = 0; index < samples * channels; index++) {
    const value = Math.sin((2 * Math.PI * 440 * Math.floor(index / channels)) / rate);
    if (bits === 16) data.writeInt16LE(Math.round(value * 8_000), index * 2);
    else if (bits === 8) data.writeUInt8(Math.round(128 + value * 60), index);
    else data.writeIntLE(Math.round(value * 2 ** (bits - 3)), index * (bits / 8), bits / 8);
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(codec, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * frame, 28);
  header.writeUInt16LE(frame, 32);
  header.writeUInt16LE(bits, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

/** Encoders go back to their header at the end, and probes look at the end first: both need a file. */
function inFile<T>(content: Buffer, work: (path: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'audio-'));
  try {
    const path = join(directory, 'audio');
    writeFileSync(path, content);
    return work(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A tone of so many seconds, made by ffmpeg. `args`: codec and container, such as `-c:a libmp3lame -f mp3`. */
export function encoded(seconds: number | string, args: string, rate = 44_100): Buffer {
  const input = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}`, '-t', String(seconds)];
  return inFile(Buffer.alloc(0), (path) => {
    const made = spawnSync('ffmpeg', ['-y', '-v', 'error', ...input, ...args.split(' '), path]);
    if (made.status !== 0) throw new Error(`ffmpeg: ${String(made.stderr)}`);
    return readFileSync(path);
  });
}

/** What ffprobe says of a file: an independent reading. */
export function probe(bytes: Buffer): { codec_name: string; sample_rate: string; channels: number; duration: number } {
  const shown = 'stream=codec_name,sample_rate,channels:format=duration';
  const { stdout } = inFile(bytes, (path) =>
    spawnSync('ffprobe', ['-v', 'error', '-show_entries', shown, '-of', 'json', path]),
  );
  const read = JSON.parse(String(stdout)) as {
    streams: { codec_name: string; sample_rate: string; channels: number }[];
    format: { duration: string };
  };
  const [stream] = read.streams;
  if (!stream) throw new Error('ffprobe found no stream');
  return { ...stream, duration: Number(read.format.duration) };
}

/** A server of audio files for the service to fetch, counting what is asked of it. */
export class FileServer {
  private readonly files = new Map<string, RequestListener>();
  private readonly server: Server;
  readonly asked: string[] = [];
  url = '';

  constructor() {
    this.server = createServer((request, response) => {
      const path = request.url ?? '';
      this.asked.push(path);
      const file = this.files.get(path);
      if (file) file(request, response);
      else response.writeHead(404).end('no');
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Serves bytes, or whatever the listener does, and gives the URL. */
  put(path: string, content: Buffer | RequestListener): string {
    this.files.set(path, typeof content === 'function' ? content : (_request, response) => void response.end(content));
    return this.url + path;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Keeps what was drafted, as the campaign would that plays it. */
export async function kept(
  api: RunningApi,
  library: AudioLibrary,
  drafting: Promise<DraftedAudio>,
): Promise<StoredAudio> {
  let draft = await drafting;
  for (;;) {
    const { draft: _draft, ...stored } = draft;
    try {
      await api.app.get(DataSource).transaction((tx) => library.keep(tx, { id: newId(), accountId: 1 }, [draft]));
      return stored;
    } catch (error) {
      if (!(error instanceof AudioChanged)) throw error;
      draft = (await library.renewed(draft)) ?? draft;
    }
  }
}
