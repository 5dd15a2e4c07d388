import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BegunAttempt, EndedAttempt } from './settle/attempts.js';
import type { ChannelName } from './state/campaign.js';

/** A channel's own record of every single attempt (the calls of a voice campaign). Written in the engine's transactions. */
export interface AttemptLog {
  began(tx: EntityManager, attempts: readonly BegunAttempt[]): Promise<void>;
  /** Takes reports that come twice, and attempts of which it has not heard. */
  ended(tx: EntityManager, attempts: readonly EndedAttempt[]): Promise<void>;
}

/** The journals of this process, by channel; a channel module registers its own at start. */
@Injectable()
export class AttemptLogs {
  private readonly journals = new Map<ChannelName, AttemptLog>();

  register(channel: ChannelName, journal: AttemptLog): void {
    this.journals.set(channel, journal);
  }

  of(channel: ChannelName): AttemptLog | null {
    return this.journals.get(channel) ?? null;
  }
}
