import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioLibrary, type StoredAudio } from '../../src/modules/audio/index.js';
import { startApi, type RunningApi } from '../support/api.js';
import { encoded, FileServer, hasFfmpeg, kept, probe, toneWav } from '../support/audio-files.js';

const NOT_FETCHED = 'audio_url could not be fetched';
const NOT_PLAYABLE = 'audio_url is not a playable audio file';
const TOO_LONG = 'Audio duration cannot exceed 120 seconds';
const MB = 1024 * 1024;

let api: RunningApi;
let audio: AudioLibrary;
const files = new FileServer();

beforeAll(async () => {
  await files.listen();
  api = await startApi({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  audio = api.app.get(AudioLibrary, { strict: false });
});
afterAll(async () => {
  await api.stop();
  files.close();
});

let count = 0;
/** The audio at a URL, as a campaign of account 1 takes it. */
const accepted = (url: string, library = audio): Promise<StoredAudio> => kept(api, library, library.fetch(url, 1));
const fetched = (content: Parameters<FileServer['put']>[1]): Promise<StoredAudio> =>
  accepted(files.put(`/${++count}`, content));
const played = async ({ url }: StoredAudio): Promise<Buffer> =>
  Buffer.from(await (await fetch(api.url + url)).arrayBuffer());
const refused = (call: Promise<unknown>, message: string): Promise<void> =>
  expect(call).rejects.toMatchObject({ kind: 'invalid', message });

describe('duration, to the millisecond', () => {
  it.each([
    [120_000, 15_000],
    [120_008, 15_001],
    [840_080, 105_010],
    [960_000, 120_000],
  ])('%i samples at 8,000 a second are %i ms', async (samples, milliseconds) => {
    const file = toneWav(samples);
    const stored = await fetched(file);
    expect(stored).toMatchObject({ milliseconds, mime: 'audio/wav' });
    expect((await played(stored)).equals(file)).toBe(true);
  });

  it.each([960_080, 960_008, 8_000 * 300])('%i samples are too long', async (samples) => {
    await refused(fetched(toneWav(samples)), TOO_LONG);
  });

  it.each([
    ['8 bits', { bits: 8 }, 12_345, 1_543],
    ['44,100 Hz', { rate: 44_100 }, 661_500, 15_000],
    ['44,100 Hz, stereo', { rate: 44_100, channels: 2 }, 661_545, 15_001],
    ['48,000 Hz', { rate: 48_000 }, 720_000, 15_000],
    ['A-law', { codec: 6, bits: 8 }, 120_000, 15_000],
    ['µ-law', { codec: 7, bits: 8 }, 120_008, 15_001],
  ])('of WAV, %s', async (_name, format, samples, milliseconds) => {
    const file = toneWav(samples, format);
    const stored = await fetched(file);
    expect(stored.milliseconds).toBe(milliseconds);
    expect((await played(stored)).equals(file)).toBe(true);
  });
});

describe('a WAV header that lies', () => {
  it('counts for nothing: what is there is measured, and what was measured is what is played', async () => {
    const claims = (dataBytes: number): Buffer => {
      const file = toneWav(24_000);
      file.writeUInt32LE(dataBytes, 40);
      return file;
    };
    for (const [file, milliseconds] of [
      [claims(0xffffffff), 3_000],
      [claims(480_000), 3_000],
      [claims(16_000), 1_000],
    ] as const) {
      const stored = await fetched(file);
      expect(stored.milliseconds).toBe(milliseconds);
      const bytes = await played(stored);
      expect(bytes.length).toBe(44 + milliseconds * 16);
      expect(bytes.readUInt32LE(40)).toBe(milliseconds * 16);
      expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    }
  });

  it('is replaced when it says two things', async () => {
    const chunk = (name: string, content: Buffer): Buffer => {
      const head = Buffer.alloc(8);
      head.write(name, 0, 'latin1');
      head.writeUInt32LE(content.length, 4);
      return Buffer.concat([head, content]);
    };
    const riff = (...chunks: Buffer[]): Buffer =>
      chunk('RIFF', Buffer.concat([Buffer.from('WAVE', 'latin1'), ...chunks]));
    const fast = toneWav(24_000, { rate: 48_000 });
    const slow = toneWav(24_000);
    const format = (file: Buffer): Buffer => chunk('fmt ', file.subarray(20, 36));
    const sound = chunk('data', slow.subarray(44));
    for (const [file, milliseconds, bytes] of [
      [riff(format(fast), format(slow), sound), 500, 48_044],
      [riff(format(slow), sound, sound), 3_000, 48_044],
    ] as const) {
      const stored = await fetched(file);
      expect(stored.milliseconds).toBe(milliseconds);
      expect(await played(stored)).toHaveLength(bytes);
    }
  });

  it('without a sample, a format or a sensible one is not playable', async () => {
    const wrong = (change: (file: Buffer) => unknown): Buffer => {
      const file = toneWav(800);
      change(file);
      return file;
    };
    for (const file of [
      toneWav(0),
      toneWav(800).subarray(0, 20),
      toneWav(800).subarray(0, 44),
      wrong((file) => file.write('xxxx', 12)),
      wrong((file) => file.writeUInt16LE(0, 22)),
      wrong((file) => file.writeUInt32LE(0, 24)),
    ])
      await refused(fetched(file), NOT_PLAYABLE);
  });
});

describe('what is no audio', () => {
  it('is not playable', async () => {
    for (const content of [
      Buffer.alloc(0),
      Buffer.from('<html>not found</html>'),
      Buffer.from('ID3'),
      Buffer.from('OggS'),
      Buffer.from('\0\0\0 ftypM4A '),
      Buffer.from('RIFF'),
      Buffer.alloc(5_000, 0xff),
      Buffer.alloc(5_000, 0),
      Buffer.from('\xff\xfb', 'latin1'),
      Buffer.concat(Array.from({ length: 1_000_000 }, () => Buffer.from('fffb9000', 'hex'))),
      Buffer.from('#EXTM3U\nhttp://127.0.0.1/secret\n'),
    ])
      await refused(fetched(content), NOT_PLAYABLE);
  });

  it('is told by content, not by the word of the server', async () => {
    const wav = toneWav(8_000);
    const stored = await fetched((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(wav);
    });
    expect(stored).toMatchObject({ milliseconds: 1_000, mime: 'audio/wav' });
    await refused(
      fetched((_request, response) => response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).end('<html>')),
      NOT_PLAYABLE,
    );
  });
});

describe('fetching', () => {
  it('refuses addresses inside and what is no http URL', async () => {
    files.asked.length = 0;
    const { port } = new URL(files.url);
    for (const url of [
      `http://127.0.0.2:${port}/x`,
      `http://[::1]:${port}/x`,
      'http://10.0.0.1/x.wav',
      'http://169.254.169.254/latest/meta-data',
      'http://192.168.1.1/',
      `http://0.0.0.0:${port}/x`,
      'file:///etc/passwd',
      'ftp://127.0.0.1/x',
      'data:audio/wav;base64,AAAA',
      'javascript:1',
      'nonsense',
      '',
    ])
      await refused(accepted(url), NOT_FETCHED);
    expect(files.asked).toEqual([]);
  });

  it('follows redirects, a few, and checks each', async () => {
    const wav = files.put('/wav', toneWav(8_000));
    const to = (path: string, location: string): string =>
      files.put(path, (_request, response) => response.writeHead(302, { Location: location }).end());
    expect((await accepted(to('/hop', wav))).milliseconds).toBe(1_000);
    to('/3', wav);
    to('/2', '/3');
    to('/1', '/2');
    expect((await accepted(`${files.url}/1`)).milliseconds).toBe(1_000);
    await refused(accepted(to('/0', '/1')), NOT_FETCHED);
    await refused(accepted(to('/loop', '/loop')), NOT_FETCHED);
    await refused(accepted(to('/inside', 'http://127.0.0.3/x')), NOT_FETCHED);
    await refused(accepted(to('/file', 'file:///etc/passwd')), NOT_FETCHED);
  });

  it('takes addresses of 2,048 characters', async () => {
    const long = (length: number): string => {
      const path = '/long'.padEnd(length - files.url.length, 'x');
      return files.put(path, toneWav(8_000));
    };
    expect((await accepted(long(2_048))).milliseconds).toBe(1_000);
    await refused(accepted(long(2_049)), NOT_FETCHED);
  });

  it('takes 200 alone', async () => {
    await refused(accepted(`${files.url}/nothing-here`), NOT_FETCHED);
    for (const status of [204, 206, 301, 401, 500])
      await refused(
        fetched((_request, response) => response.writeHead(status).end(toneWav(800))),
        NOT_FETCHED,
      );
    await refused(accepted('http://127.0.0.1:1/x'), NOT_FETCHED);
  });

  it('ends at its time limit, silent server or slow one', async () => {
    const hurried = await startApi({ ...api.environment, AUDIO_FETCH_TIMEOUT: 600 }, api.database);
    const library = hurried.app.get(AudioLibrary, { strict: false });
    const silent = files.put('/silent', () => undefined);
    await refused(accepted(silent, library), NOT_FETCHED);
    const slow = files.put('/slow', (_request, response) => {
      const timer = setInterval(() => response.write('RIFF'), 50);
      response.on('close', () => clearInterval(timer));
    });
    await refused(accepted(slow, library), NOT_FETCHED);
    await hurried.stop();
  });

  it('takes 10 MB and not a byte more', async () => {
    const file = Buffer.concat([toneWav(8_000), Buffer.alloc(10 * MB - 16_044)]);
    file.write('junk', 16_044);
    file.writeUInt32LE(10 * MB - 16_052, 16_048);
    file.writeUInt32LE(10 * MB - 8, 4);
    expect(file).toHaveLength(10 * MB);
    const stored = await fetched(file);
    expect(stored.milliseconds).toBe(1_000);
    expect((await played(stored)).equals(file)).toBe(true);
    await refused(fetched(Buffer.concat([file, Buffer.alloc(1)])), NOT_FETCHED);
  });

  it('asks once, and keeps equal bytes once, also when they come at the same moment', async () => {
    files.asked.length = 0;
    const url = files.put('/same', toneWav(12_000));
    const all = await Promise.all(Array.from({ length: 12 }, () => accepted(url)));
    expect(files.asked).toHaveLength(12);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await audio.byId(all[0]!.id)).toEqual(all[0]);
    expect(await audio.byId(1)).toBeNull();
    const rows = await api.database.dataSource.query<unknown[]>('SELECT id FROM audio_files WHERE milliseconds = 1500');
    expect(rows).toHaveLength(1);
  });
});

describe.skipIf(!hasFfmpeg)('MP3', () => {
  const MP3 = '-c:a libmp3lame -f mp3';
  it.each([
    ['15', 15_000],
    ['15.001', 15_001],
    ['105.01', 105_010],
    ['120', 120_000],
  ])('of %s s is kept as it is and measured to the millisecond', async (seconds, milliseconds) => {
    const file = encoded(seconds, MP3);
    const stored = await fetched(file);
    expect(stored).toMatchObject({ milliseconds, mime: 'audio/mpeg' });
    expect(stored.url).toMatch(/\.mp3$/);
    expect((await played(stored)).equals(file)).toBe(true);
  });

  it('of 120.01 s is too long', () => refused(fetched(encoded('120.01', MP3)), TOO_LONG));

  it.each([
    ['8 kHz', '-ar 8000 -b:a 16k -c:a libmp3lame -f mp3'],
    ['22.05 kHz', '-ar 22050 -c:a libmp3lame -f mp3'],
    ['48 kHz, variable bit rate', '-ar 48000 -q:a 4 -c:a libmp3lame -f mp3'],
    ['stereo', '-ac 2 -c:a libmp3lame -f mp3'],
    ['with tags before and behind', '-metadata title=x -id3v2_version 3 -write_id3v1 1 -c:a libmp3lame -f mp3'],
  ])('%s', async (_name, args) => {
    expect((await fetched(encoded('15', args))).milliseconds).toBe(15_000);
  });

  it('without a header is counted, frame by frame', async () => {
    const file = encoded('15', '-write_xing 0 -id3v2_version 0 -c:a libmp3lame -f mp3');
    const frames = Math.round((await fetched(file)).milliseconds / (1_152 / 44.1));
    expect(Math.abs(frames - 15_000 / (1_152 / 44.1))).toBeLessThan(3);
  });

  it('whose header lies is counted all the same', async () => {
    const file = encoded('60', MP3, 16_000);
    const header = file.indexOf('Info') >= 0 ? file.indexOf('Info') : file.indexOf('Xing');
    file.writeUInt32BE(10, header + 8);
    expect((await fetched(file)).milliseconds).toBe(60_000);
    const hidden = Buffer.concat([
      encoded('100', MP3, 16_000),
      Buffer.from('TAG'),
      Buffer.alloc(125),
      encoded('100', MP3, 16_000),
    ]);
    await refused(fetched(hidden), TOO_LONG);
  });
});

describe.skipIf(!hasFfmpeg)('what a telephone network does not play', () => {
  const KINDS: [string, string][] = [
    ['OGG Vorbis', '-c:a libvorbis -f ogg'],
    ['OGG Opus', '-c:a libopus -f ogg'],
    ['M4A, index at the end', '-c:a aac -aac_coder fast -f ipod'],
    ['M4A, index at the beginning', '-c:a aac -aac_coder fast -movflags +faststart -f ipod'],
    ['M4A, stereo', '-c:a aac -aac_coder fast -ac 2 -f ipod'],
    ['FLAC', '-c:a flac -f flac'],
    ['AIFF', '-f aiff'],
    ['WAV of 24 bits', '-c:a pcm_s24le -f wav'],
    ['WAV, ADPCM', '-c:a adpcm_ms -f wav'],
    ['WebM', '-c:a libopus -f webm'],
    ['AAC', '-c:a aac -aac_coder fast -f adts'],
  ];

  it.each(KINDS)('%s is transcoded to WAV, which is what is measured and played', async (_name, args) => {
    const stored = await fetched(encoded('15', args, 48_000));
    expect(stored.mime).toBe('audio/wav');
    expect(stored.url).toMatch(/\.wav$/);
    const read = probe(await played(stored));
    expect(read).toMatchObject({ codec_name: 'pcm_s16le', sample_rate: '8000', channels: 1 });
    expect(Math.round(read.duration * 1_000)).toBe(stored.milliseconds);
    // of these the container does not tell the exact end
    expect(Math.abs(stored.milliseconds - 15_000)).toBeLessThanOrEqual(/WebM|AAC|ADPCM/.test(_name) ? 60 : 0);
  });

  it.each(KINDS.filter((_, index) => index === 0 || index === 2))(
    '%s: limits to the millisecond',
    async (_name, args) => {
      for (const [seconds, milliseconds] of [
        ['15.001', 15_001],
        ['120', 120_000],
      ] as const)
        expect([seconds, (await fetched(encoded(seconds, args, 16_000))).milliseconds]).toEqual([
          seconds,
          milliseconds,
        ]);
      await refused(fetched(encoded('120.01', args, 16_000)), TOO_LONG);
    },
  );

  it('much longer than the limit is too long, whatever its header claims', async () => {
    const m4a = encoded('150', '-c:a aac -aac_coder fast -ar 16000 -f ipod', 16_000);
    await refused(fetched(m4a), TOO_LONG);
    const header = m4a.indexOf('mvhd');
    m4a.writeUInt32BE(m4a.readUInt32BE(header + 16) * 10, header + 20);
    await refused(fetched(m4a), TOO_LONG);
    await refused(fetched(encoded('300', '-c:a libopus -b:a 8k -compression_level 0 -f ogg', 16_000)), TOO_LONG);
  });

  it('broken off in the middle, or without sound, is not playable', async () => {
    const m4a = encoded('5', '-c:a aac -aac_coder fast -f ipod', 48_000);
    await refused(fetched(m4a.subarray(0, m4a.length / 2)), NOT_PLAYABLE);
    const flac = encoded('5', '-c:a flac -f flac', 48_000);
    await refused(fetched(flac.subarray(0, 60)), NOT_PLAYABLE);
  });

  it('never makes ffmpeg open anything else', async () => {
    files.asked.length = 0;
    for (const name of ['#EXTM3U', 'ffconcat version 1.0'])
      await refused(fetched(Buffer.from(`${name}\nfile ${files.url}/secret\n${files.url}/secret\n`)), NOT_PLAYABLE);
    expect(files.asked.filter((path) => path === '/secret')).toEqual([]);
  });

  it('is refused where there is no ffmpeg, or when ffmpeg takes too long', async () => {
    const url = files.put('/vorbis', encoded('2', '-c:a libvorbis -f ogg', 48_000));
    const mp3 = files.put('/mp3', encoded('2', '-c:a libmp3lame -f mp3'));
    // `yes` reads nothing and never ends
    for (const change of [
      { FFMPEG_PATH: '/nowhere/ffmpeg' },
      { FFMPEG_PATH: '/usr/bin/yes', TRANSCODE_TIMEOUT: 300 },
    ]) {
      const other = await startApi({ ...api.environment, ...change }, api.database);
      try {
        const library = other.app.get(AudioLibrary, { strict: false });
        await refused(accepted(url, library), NOT_PLAYABLE);
        expect((await accepted(mp3, library)).milliseconds).toBe(2_000);
      } finally {
        await other.stop();
      }
    }
  });
});
