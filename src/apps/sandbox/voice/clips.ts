import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../platform/caches/index.js';
import { CallbackSender } from '../http/callback-sender.js';

const LOCAL = new Set(['127.0.0.1', '[::1]', 'localhost']);
const AUDIO = /^audio\//i;
const KEPT = 10_000;

/** Clips to play: each is fetched once, as the network keeps what it has played. The sandbox leaves this machine for none. */
@Injectable()
export class Clips {
  private readonly faults = boundedCache<string, Promise<string | null>>(KEPT);

  constructor(private readonly callbacks: CallbackSender) {}

  /** Why the clip cannot be played; null when it can, or lies elsewhere. */
  faultOf(url: string): Promise<string | null> {
    const known = this.faults.get(url);
    if (known) return known;
    const fault = this.fetch(url);
    this.faults.set(url, fault);
    return fault;
  }

  clear(): void {
    this.faults.clear();
  }

  private async fetch(url: string): Promise<string | null> {
    if (!URL.canParse(url)) return 'clip without an address';
    if (!LOCAL.has(new URL(url).hostname)) return null;
    const answer = await this.callbacks.get(url);
    if (answer?.status !== 200) return `clip answers ${answer?.status ?? 'nothing'}`;
    return AUDIO.test(String(answer.headers['content-type'])) ? null : 'clip is no audio';
  }
}
