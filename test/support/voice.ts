import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Environment } from '../../src/platform/config/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import type { RunningApi } from './api.js';
import { type Answer, type Member, openApi, smsOf } from './sms.js';

export const NUMBER = '919812345678';
const RATE = 8_000;

export type Voice = ReturnType<typeof voiceOf>;

/** An API with a default route for calls. */
export async function openVoice(overrides: Partial<Environment> = {}): Promise<Voice> {
  const voice = voiceOf(await openApi(overrides, { route: false }));
  await voice.addVoiceRoute();
  return voice;
}

/** What voice tests need around an API: accounts with credits, a route, and voice requests. */
export function voiceOf(api: RunningApi) {
  const sms = smsOf(api);
  const { dataSource, part, join, post } = sms;

  return {
    ...sms,

    /** A default route to a telephone network that is never asked anything. */
    addVoiceRoute: async (name = 'telephone'): Promise<number> => {
      const routes = part(RouteDirectory);
      const config = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'token-of-the-route', from: '918000000000' };
      const draft = {
        name,
        channel: 'voice',
        driver: 'twilio',
        config,
        messagesPerSecond: null,
        isDefault: true,
      } as const;
      const { id } = await dataSource.transaction((tx) => routes.put(tx, draft));
      routes.forget();
      return id;
    },

    rich: (credits = 1_000): Promise<Member> => join({ voice_credits: credits }),

    send: (member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      post('/v6/api/v1/voice/send', member, body, headers),
  };
}

/** A mono WAV of 16 bits with exactly that many frames at 8 kHz; 8 frames are a millisecond. */
export function wav(frames: number): Buffer {
  const data = Buffer.alloc(frames * 2);
  for (let i = 0; i < frames; i++)
    data.writeInt16LE(Math.round(8_000 * Math.sin((i * 2 * Math.PI * 440) / RATE)), i * 2);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** A customer's server of audio: `/<milliseconds>.wav` is as long as its name says. */
export class AudioServer {
  asked = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<AudioServer> {
    const server = createServer();
    const audio = new AudioServer(server);
    server.on('request', (request, response) => {
      audio.asked += 1;
      const milliseconds = /^\/(\d+)\.wav$/.exec(request.url ?? '')?.[1];
      if (milliseconds === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'audio/wav' }).end(wav(Number(milliseconds) * 8));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return audio;
  }

  url(milliseconds: number): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${milliseconds}.wav`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
