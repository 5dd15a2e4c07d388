import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioLibrary, type StoredAudio } from '../../src/modules/audio/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { encoded, FileServer, hasFfmpeg, kept } from '../support/audio-files.js';

const files = new FileServer();
let api: RunningApi;

beforeAll(async () => {
  await files.listen();
  api = await startApi({ OUTBOUND_ALLOW: '127.0.0.1/32' });
});
afterAll(async () => {
  await api.stop();
  files.close();
});

const accepted = (url: string, library = api.app.get(AudioLibrary, { strict: false })): Promise<StoredAudio> =>
  kept(api, library, library.fetch(url, 1));
const played = async ({ url }: StoredAudio): Promise<Buffer> =>
  Buffer.from(await (await fetch(api.url + url)).arrayBuffer());

describe.skipIf(!hasFfmpeg)('the transcoder', () => {
  it.each([
    ['AC-3 in Matroska', '-c:a ac3 -f matroska'],
    ['WavPack in Matroska', '-c:a wavpack -f matroska'],
  ])('%s: only codecs that are expected are read', async (_name, args) => {
    const file = files.put('/odd', encoded('2', args, 48_000));
    await expect(accepted(file)).rejects.toMatchObject({ message: 'audio_url is not a playable audio file' });
  });

  it('runs ffmpeg without a variable of ours, under limits', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ffmpeg-'));
    const program = join(directory, 'ffmpeg');
    const words = 'tr "\\0" "\\n" < /proc/$$/environ; echo limits $(ulimit -v) $(ulimit -t) $(ulimit -f); echo "$@"';
    writeFileSync(program, `#!/bin/sh\nPATH=/usr/bin:/bin\n${words}\n`);
    chmodSync(program, 0o755);
    const other = await startApi({ ...api.environment, FFMPEG_PATH: program }, api.database);
    try {
      const url = files.put('/spied', encoded('1', '-c:a libvorbis -f ogg', 48_000));
      const stored = await accepted(url, other.app.get(AudioLibrary, { strict: false }));
      const said = (await played(stored)).subarray(44).toString();
      expect(said).toMatch(/^limits 1048576 \d+ \d+\n/); // nothing stands before it: the environment was empty
      expect(said).toContain('-protocol_whitelist cache,pipe');
      expect(said).toContain('-format_whitelist ogg -codec_whitelist opus,');
    } finally {
      await other.stop();
      rmSync(directory, { recursive: true });
    }
  });
});
