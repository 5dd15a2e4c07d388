import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BegunAttempt, EndedAttempt } from './domain/attempts.js';
import type { ChannelName } from './domain/campaign.js';

/** A channel's own record of every single attempt (the calls of a voice campaign). Written in the engine's transactions. */
export interface AttemptJournal {
  began(tx: EntityManager, attempts: readonly BegunAttempt[]): Promise<void>;
  /** Takes reports that come twice, and attempts of which it has not heard. */
  ended(tx: EntityManager, attempts: readonly EndedAttempt[]): Promise<void>;
}

/** The journals of this process, by channel; a channel module registers its own at start. */
@Injectable()
export class AttemptJournals {
  private readonly journals = new Map<ChannelName, AttemptJournal>();

  register(channel: ChannelName, journal: AttemptJournal): void {
    this.journals.set(channel, journal);
  }

  of(channel: ChannelName): AttemptJournal | null {
    return this.journals.get(channel) ?? null;
  }
}
