import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../concurrency/index.js';
import type { RedisClient, RedisClients } from './redis-clients.js';

/** So long a read blocks at the most. */
export const BLOCKED_SECONDS = 5;
/** A read that has no answer by then has lost its connection without a word. */
const SILENT_MS = 2_000 * BLOCKED_SECONDS;
const AGAIN_MS = 500;

/** Commands that wait in Redis for something to come, asked again and again on a connection each, whatever becomes of Redis. */
export class BlockingReads {
  private readonly connections: RedisClient[] = [];
  private hasEnded = false;

  constructor(private readonly clients: Pick<RedisClients, 'open'>) {}

  /**
   * Asks from now on, one at a time.
   * @param ask a command that blocks for `BLOCKED_SECONDS`; null = nothing has come
   * @param onFound never rejects; the next is asked for when it is over
   */
  start<Found>(
    ask: (connection: RedisClient) => Promise<Found | null>,
    onFound: (found: Found, connection: RedisClient) => Promise<void>,
  ): void {
    const connection = this.clients.open('blocking');
    this.connections.push(connection);
    void this.take(connection, ask, onFound);
  }

  end(): void {
    this.hasEnded = true;
    for (const connection of this.connections) connection.disconnect();
  }

  private async take<Found>(
    connection: RedisClient,
    ask: (connection: RedisClient) => Promise<Found | null>,
    onFound: (found: Found, connection: RedisClient) => Promise<void>,
  ): Promise<void> {
    while (!this.hasEnded) {
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const asking = ask(connection).then(
        (found) => ({ found }),
        () => sleep(AGAIN_MS, { found: null }),
      );
      const answer = await within(SILENT_MS, asking);
      if (answer === null) connection.disconnect(true);
      else if (answer.found !== null) await onFound(answer.found, connection);
    }
  }
}
